// Asks berthd for the state, again and again: a request waits there until something has changed.
import type { Answer, Model } from "./model";

export type Status =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "stale"; since: number; why: string }; // without a reason: berthd answers, and knows nothing newer

const kPatience = 35_000; // an answer comes within 20 s
const kStaleAfter = 10; // seconds; PAGE-20
// They turn the direction of all text after them. PAGE-11
const kDirections = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const kPauses = [250, 500, 1000, 2000, 5000];

// A page that nobody sees asks nothing.
async function isVisible(): Promise<void> {
  if (!document.hidden) return;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
  });
}

export class Connection {
  status: Status = { kind: "connecting" };
  bytes = 0; // of all answers, as text
  private failures = 0;
  private answeredAt = Date.now();
  private isStopped = false;

  constructor(private readonly model: Model, private readonly changed: () => void,
              private readonly url = "state") {}

  async run(): Promise<void> {
    while (!this.isStopped) {
      await isVisible();
      try {
        const age = await this.ask();
        this.failures = 0;
        this.answeredAt = Date.now();
        this.status = age < kStaleAfter ? { kind: "live" } : { kind: "stale", since: Date.now() - 1000 * age, why: "" };
      } catch (error) {
        ++this.failures;
        // One failure may be a restart: the page says so from the second on.
        if (this.failures > 1 || this.model.version === 0) {
          this.status = { kind: "stale", since: this.answeredAt, why: String((error as Error).message ?? error) };
        }
      }
      this.changed();
      const pause = this.failures === 0 ? 0 : kPauses[Math.min(this.failures, kPauses.length) - 1];
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  stop(): void { this.isStopped = true; }

  // Returns the age of the state in seconds.
  private async ask(): Promise<number> {
    const { instance, version } = this.model;
    const query = instance === "" ? "" : `?instance=${encodeURIComponent(instance)}&after=${version}`;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), kPatience);
    try {
      const response = await fetch(this.url + query, { signal: abort.signal, cache: "no-store" });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
      this.bytes += text.length;
      const answer = JSON.parse(text.replace(kDirections, "\ufffd")) as Answer;
      if (answer.kind !== "PageState") throw new Error("the answer is no state of the page");
      this.model.isForwarded = response.headers.has("Berth-Forwarded");
      const age = Number(response.headers.get("Age") ?? 0);
      this.model.merge(answer, age);
      return age;
    } catch (error) {
      throw abort.signal.aborted ? new Error("no answer within 35 s") : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
