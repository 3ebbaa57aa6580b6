// The view Sessions: what berthd decided, and how long that took.
import { Chart, type Line } from "./chart";
import { amount, count, duration, microseconds, quantity, resourceName, shortDuration } from "./format";
import { kHidden, type Eviction, type Model, type Span } from "./model";
import { Empty, JobLink, LongTable, NodeLink, QueueName, Time, type Column, type ViewProps } from "./parts";

// The wait that this part of the starts did not pass: the upper end of its class.
function quantile(span: Span, part: number): number | null {
  if (span.started === 0) return null;
  let left = Math.ceil(span.started * part);
  for (let i = 0; i < span.waits.length; ++i) {
    left -= span.waits[i];
    if (left <= 0) return 2 ** i;
  }
  return 2 ** span.waits.length;
}

function Charts({ model }: { model: Model }) {
  const spans = model.day;
  const times = spans.map((span) => span.begin);
  const perMinute = (value: (span: Span) => number) => spans.map((span) => (value(span) * 60) / span.seconds);
  const sessions = [...model.sessions.values()].sort((a, b) => a.number - b.number);
  const byAction: Line[] = model.cluster.actions.map((action, i) => ({
    label: action, colour: `--q${i % 12}`, values: sessions.map((session) => (session.actions[i] ?? 0)),
  }));
  byAction.push({
    label: "rest", colour: "--foreign",
    values: sessions.map((s) => Math.max(0, s.took - s.actions.reduce((a, b) => a + b, 0))),
  });
  const used: Line[] = model.cluster.resources.map((name, r) => ({
    label: resourceName(name), colour: `--q${r}`, values: spans.map((span) => (span.used.length > 0 ? (span.used[r] ?? 0) / 1e6 : null)),
  })).filter((_, r) => (model.cluster.total[r] ?? 0) > 0);
  return (
    <div class="charts">
      <Chart title="Time of a session" note="by action; the last sessions" stacked times={sessions.map((s) => s.at / 1000)}
        lines={byAction} format={microseconds} />
      <Chart title="In use" note="part of the cluster, over the last day" most={1} times={times} lines={used} format={(v) => `${Math.round(v * 100)} %`} />
      <Chart title="Waits of jobs that started" note="half and nine of ten started within" times={times} format={shortDuration} lines={[
        { label: "half", colour: "--q0", values: spans.map((s) => quantile(s, 0.5)) },
        { label: "nine of ten", colour: "--q1", values: spans.map((s) => quantile(s, 0.9)) },
      ]} />
      <Chart title="Jobs that wait" note="the most in each span" times={times} format={(v) => count(Math.round(v))} lines={[
        { label: "jobs", colour: "--q0", fill: true, values: spans.map((s) => s.waitingJobs) },
      ]} />
      <Chart title="Decisions" note="in a minute" times={times} format={(v) => count(Math.round(v * 10) / 10)} lines={[
        { label: "pods placed", colour: "--q0", values: perMinute((s) => s.binds) },
        { label: "jobs started", colour: "--q2", values: perMinute((s) => s.started) },
        { label: "pods evicted", colour: "--q7", values: perMinute((s) => s.evictions) },
      ]} />
      <Chart title="Time in sessions" note="the longest session of each span, and the mean" times={times} format={microseconds} lines={[
        { label: "longest", colour: "--q1", values: spans.map((s) => s.longest) },
        { label: "mean", colour: "--q0", values: spans.map((s) => (s.sessions > 0 ? s.took / s.sessions : null)) },
      ]} />
    </div>
  );
}

const lost = (eviction: Eviction): string => {
  const device = Object.keys(eviction.room).find((name) => name.includes("/"));
  const resource = device ?? "cpu";
  const hours = (quantity(resource, eviction.room[resource]) * eviction.age) / 3600;
  return `${amount(resource, Math.round(hours * 10) / 10)} ${resourceName(resource)} h`;
};

function Evictions({ model, parameters }: ViewProps) {
  const text = (parameters.q ?? "").toLowerCase();
  const rows = [...model.evictions.values()].sort((a, b) => b.number - a.number)
    .filter((e) => text === "" || [e.pod, e.job, e.claimant, e.queue, e.node].some((name) => name.toLowerCase().includes(text)));
  const columns: Column<Eviction>[] = [
    { key: "at", title: "At", cell: (e) => <Time at={e.at} now={model.now} seconds /> },
    { key: "pod", title: "Victim", class: "job", cell: (e) => <span title={e.pod}><JobLink name={e.job}>{e.pod}</JobLink></span> },
    { key: "queue", title: "Queue", class: "wide", cell: (e) => <QueueName model={model} queue={e.queue} /> },
    { key: "node", title: "Node", class: "wide", cell: (e) => (e.node ? <NodeLink name={e.node} /> : "–") },
    { key: "for", title: "For", class: "job", cell: (e) => (e.claimant.includes("/") || e.claimant === kHidden ? <JobLink name={e.claimant} /> : e.claimant || "nobody") },
    { key: "age", title: "Had run for", class: "number", cell: (e) => duration(e.age) },
    { key: "lost", title: "Lost", class: "number", cell: lost },
    { key: "why", title: "Why", class: "fill", cell: (e) => <span title={e.why}>{e.why}</span> },
  ];
  return (
    <section>
      <h2>Evictions</h2>
      {rows.length === 0
        ? <Empty>{model.evictions.size === 0 ? "No pod was evicted since this berthd started." : "No eviction is like this."}</Empty>
        : <LongTable label="Evictions" rows={rows} columns={columns} keyOf={(e) => String(e.number)} height={32} />}
    </section>
  );
}

export function SessionsView(props: ViewProps) {
  return (
    <div class="view sessions">
      <h1 class="visually-hidden">Sessions</h1>
      <Charts model={props.model} />
      <Evictions {...props} />
    </div>
  );
}
