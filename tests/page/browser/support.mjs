// A browser, a berthd and a page for the tests of this folder. The environment says where things are:
// BERTH_PAGE_PACKAGES (by scripts/page --packages), BERTHD, and BERTH_CHROMIUM.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as nodeTest } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.env.BERTH_PAGE_PACKAGES, "package.json"));
const { chromium } = require("playwright-core");
export const axeSource = require("axe-core").source;

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
export const bundle = join(root, "src/page/bundle");
export const kPatience = 30_000; // a test waits so long for anything, and no longer than it takes

// A test that hangs fails.
export const test = (name, run) => nodeTest(name, { timeout: 2 * kPatience }, run);

const running = new Set(); // processes that a failed test leaves behind

export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "berth-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.BERTH_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
    viewport: { width: 1360, height: 850 },
  });
  const browser = context.browser();
  return {
    context,
    version: () => browser?.version() ?? "",
    async close() {
      for (const process of running) process.kill("SIGKILL");
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

// A page that fails its test if the console has an error, or if it asks another server.
export async function open(browser, url, { allows = () => false } = {}) {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(kPatience);
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !allows(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  const origin = new URL(url).origin;
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(origin + "/") && !asked.startsWith("data:")) faults.push(`asks ${asked}`);
  });
  await page.goto(url);
  await page.waitForSelector(".view");
  return {
    page,
    faults,
    async close() {
      await page.close();
      assert.deepEqual(faults, []);
    },
  };
}

// The page at another address within it, when it is there.
export async function show(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  const view = /^#\/(\w+)/.exec(hash)[1];
  await page.waitForSelector(`.view.${view}, main .empty`);
}

// A berthd on an embedded cluster of manifests that a test may write anew.
export class Berthd {
  static async start(manifests, { port = 0, directory, config = "" } = {}) {
    const berthd = new Berthd();
    berthd.directory = directory ?? mkdtempSync(join(tmpdir(), "berth-page-"));
    berthd.write(manifests);
    const configuration = join(berthd.directory, "berth.yaml.config");
    writeFileSync(configuration, `actions: "enqueue, allocate"\ntiers: [{plugins: [{name: gang}, {name: predicates}]}]\n${config}`);
    berthd.process = spawn(process.env.BERTHD, [
      "--embedded", join(berthd.directory, "all.yaml"), "--config", configuration, "--listen", `127.0.0.1:${port}`,
    ], { stdio: ["ignore", "pipe", "pipe"] });
    running.add(berthd.process);
    berthd.printed = "";
    berthd.ended = once(berthd.process, "exit");
    for (const stream of [berthd.process.stdout, berthd.process.stderr]) {
      stream.on("data", (bytes) => { berthd.printed += bytes; });
    }
    berthd.url = await berthd.says(/the page is at (\S+)/);
    berthd.port = Number(new URL(berthd.url).port);
    return berthd;
  }

  write(manifests) { writeFileSync(join(this.directory, "all.yaml"), manifests); }

  async says(pattern) {
    for (;;) {
      const match = pattern.exec(this.printed);
      if (match) return match[1];
      const next = Promise.race([once(this.process.stdout, "data"), once(this.process.stderr, "data"), this.ended.then(() => "ended")]);
      if ((await next) === "ended" && !pattern.test(this.printed)) throw new Error(`berthd has ended: ${this.printed}`);
    }
  }

  async end() {
    this.process.kill("SIGTERM");
    const [code] = await this.ended;
    running.delete(this.process);
    return code;
  }
  async close() {
    const code = await this.end();
    rmSync(this.directory, { recursive: true, force: true });
    assert.equal(code, 0, this.printed);
  }
}

export const nodes = (count, labels = () => "") => Array.from({ length: count }, (_, i) =>
  `---\n{apiVersion: v1, kind: Node, metadata: {name: n${i}, labels: {${labels(i)}}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}\n`).join("");

export const gang = (name, members, cpu = 2) =>
  `---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: ${name}, namespace: ml}, spec: {minMember: ${members}}}\n` +
  Array.from({ length: members }, (_, i) =>
    `---\n{apiVersion: v1, kind: Pod, metadata: {name: ${name}-${i}, namespace: ml, uid: ${name}-${i}, annotations: {scheduling.k8s.io/group-name: ${name}}}, spec: {schedulerName: berth, containers: [{name: c, image: i, resources: {requests: {cpu: "${cpu}"}}}]}}\n`).join("");
