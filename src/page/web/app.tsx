// The frame around the views: navigation, search, the state of the connection, theme, panel.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ClusterView } from "./cluster";
import type { Connection } from "./connection";
import { plural, time } from "./format";
import { JobsView } from "./jobs";
import type { Model } from "./model";
import { JobPanel, NodePanel } from "./panels";
import type { ViewProps } from "./parts";
import { QueuesView } from "./queues";
import { ReservationsView } from "./reservations";
import { change, kViews, useRoute, writeRoute, type View } from "./route";
import { SessionsView } from "./sessions";
import { setTheme, useTheme, type Theme } from "./theme";
import { WhatIfView } from "./whatif";

const kTitles: Record<View, string> = {
  cluster: "Cluster", jobs: "Jobs", queues: "Queues", reservations: "Reservations", sessions: "Sessions", whatif: "What if",
};
const kComponents: Record<View, ComponentType<ViewProps>> = {
  cluster: ClusterView, jobs: JobsView, queues: QueuesView, reservations: ReservationsView, sessions: SessionsView,
  whatif: WhatIfView,
};

// Renders anew with each answer, and once a second for ages (PAGE-21).
export function useModel(model: Model, connection: Connection, listeners: Set<() => void>): void {
  const [, set] = useState(0);
  useEffect(() => {
    let frame = 0;
    const listener = () => {
      if (frame === 0) frame = requestAnimationFrame(() => { frame = 0; set((n) => n + 1); });
    };
    const tick = () => {
      if (document.hidden || connection.status.kind !== "live") return;
      model.tick();
      listener();
    };
    const timer = setInterval(tick, 1000);
    listeners.add(listener);
    return () => { listeners.delete(listener); clearInterval(timer); cancelAnimationFrame(frame); };
  }, [model]);
}

function Live({ connection }: { connection: Connection }) {
  const { status } = connection;
  const text = { connecting: "connecting", live: "live", stale: "stale" }[status.kind];
  return <span class={`live ${status.kind}`} role="status"><i aria-hidden="true" />{text}</span>;
}

function Banner({ connection, model }: { connection: Connection; model: Model }) {
  const { status } = connection;
  if (status.kind === "stale") {
    const since = time(status.since / 1000, Date.now() / 1000, true);
    return (
      <p class="banner" role="alert">
        {status.why === ""
          ? `berthd answers, but its sessions have not looked at the cluster since ${since}; what you see is of then.`
          : `berthd does not answer since ${since}; what you see is of then. The page asks again. (${status.why})`}
      </p>
    );
  }
  if (status.kind === "live" && !model.cluster.leads) {
    return <p class="banner" role="alert">This berthd does not lead, or is not ready yet: another one knows the cluster.</p>;
  }
  return null;
}

function ThemeSwitch() {
  const { theme } = useTheme();
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const sign = { system: "◐", light: "☀", dark: "☾" }[theme];
  return (
    <button class="icon" onClick={() => setTheme(next[theme])} title={`Colours: ${theme}`} aria-label={`Colours: ${theme}; change to ${next[theme]}`}>{sign}</button>
  );
}

function Search({ value }: { value: string }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <input class="search" type="search" ref={input} placeholder="Search  /" aria-label="Search names, queues and reasons" value={value}
      onInput={(event) => change({ q: event.currentTarget.value })} />
  );
}

export function App({ model, connection, listeners }: { model: Model; connection: Connection; listeners: Set<() => void> }) {
  useModel(model, connection, listeners);
  const { view, parameters } = useRoute();
  const Shown = kComponents[view];
  const main = useRef<HTMLElement>(null);
  useEffect(() => { document.title = `${kTitles[view]} · Berth`; }, [view]);
  const kept: Record<string, string> = parameters.q ? { q: parameters.q } : {};
  const hasPanel = view !== "whatif" && (parameters.job || parameters.node);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>To the content</a>
      <header class="top">
        <span class="brand"><svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path class="b0" d="M1 1h6v6H1z" /><path class="b1" d="M9 1h6v6H9z" /><path class="b2" d="M1 9h6v6H1z" /><path class="b0" d="M9 9h6v6H9z" /></svg>Berth</span>
        <nav aria-label="Views">
          {kViews.map((each) => (
            <a key={each} href={writeRoute({ view: each, parameters: kept })} aria-current={each === view ? "page" : undefined}>{kTitles[each]}</a>
          ))}
        </nav>
        <Search value={parameters.q ?? ""} />
        <Live connection={connection} />
        <ThemeSwitch />
      </header>
      <Banner connection={connection} model={model} />
      <div class={hasPanel ? "body with-panel" : "body"}>
        <main id="main" tabIndex={-1} ref={main}>
          {model.cluster.version === ""
            ? <p class="boot">{connection.status.kind === "stale" ? "There is nothing to show yet." : "Asking berthd …"}</p>
            : <Shown model={model} parameters={parameters} />}
        </main>
        {hasPanel && (parameters.node
          ? <NodePanel model={model} name={parameters.node} />
          : <JobPanel model={model} name={parameters.job} />)}
      </div>
      <footer class="foot">
        <span>berthd {model.cluster.version}</span>
        <span>{plural(model.nodes.size, "node")}, {plural(model.jobs.size, "job")}</span>
        <a href="licences.txt">licences</a>
      </footer>
    </>
  );
}
