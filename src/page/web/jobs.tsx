// The view Jobs: waiting ones first, in the order of service.
import { count, duration } from "./format";
import { isWaiting, kHidden, podCount, stateOf, type Job, type Model } from "./model";
import { JobLink, LongTable, QueueFilter, QueueName, Segments, Time, type Column, type ViewProps } from "./parts";
import { Start } from "./panels";
import { change } from "./route";
import { Empty } from "./parts";

const kRanks = { waiting: 0, pending: 1, planned: 2, running: 3 };

function compare(model: Model): (a: Job, b: Job) => number {
  const { places } = model;
  return (a, b) => {
    const rank = kRanks[stateOf(a)] - kRanks[stateOf(b)];
    if (rank !== 0) return rank;
    if (isWaiting(a)) {
      const place = (places.get(a.id)?.all ?? Infinity) - (places.get(b.id)?.all ?? Infinity);
      if (place !== 0 && !Number.isNaN(place)) return place;
      return a.since - b.since;
    }
    return b.started - a.started || a.name.localeCompare(b.name);
  };
}

function matches(job: Job, text: string): boolean {
  return text === "" || job.name.toLowerCase().includes(text) || job.queue.toLowerCase().includes(text) ||
    (job.more.message ?? "").toLowerCase().includes(text) || (job.more.reason ?? "").includes(text);
}

export function JobsView({ model, parameters }: ViewProps) {
  const state = parameters.state ?? "";
  const queue = parameters.queue ?? "";
  const text = (parameters.q ?? "").toLowerCase();
  const found = model.jobList.filter((job) => (queue === "" || job.queue === queue) && matches(job, text));
  const counts = { waiting: 0, pending: 0, planned: 0, running: 0 };
  for (const job of found) ++counts[stateOf(job)];
  const rows = found.filter((job) => state === "" || stateOf(job) === state).sort(compare(model));
  const { now } = model;
  const columns: Column<Job>[] = [
    { key: "state", title: "State", cell: (job) => <span class={`badge ${stateOf(job)}`}>{stateOf(job)}</span> },
    {
      key: "job", title: "Job", class: "job",
      cell: (job) => <><JobLink name={job.name} />{job.more.target !== undefined && <span class="badge kept" title="nodes are kept for it">kept</span>}</>,
    },
    { key: "queue", title: "Queue", class: "wide", cell: (job) => <QueueName model={model} queue={job.queue} /> },
    {
      key: "pods", title: "Pods", class: "number wide",
      cell: (job) => <span title={`at least ${job.minimum} start together`}>{count(job.running + job.planned)} of {count(podCount(job))}</span>,
    },
    {
      key: "since", title: "Since", class: "number",
      cell: (job) => {
        const at = isWaiting(job) || job.started === 0 ? job.since : job.started;
        return <span><Time at={at} now={now} /> <span class="muted">{duration(now - at)}</span></span>;
      },
    },
    {
      key: "place", title: "Position", class: "number wide",
      cell: (job) => {
        const place = model.places.get(job.id);
        return place ? `${count(place.inQueue)} of ${count(place.ofQueue)}` : "";
      },
    },
    { key: "start", title: "Start", class: "wide", cell: (job) => (isWaiting(job) ? <Start job={job} now={now} /> : "") },
    { key: "why", title: "Why it waits", class: "fill", cell: (job) => <span title={job.more.message}>{job.more.message ?? ""}</span> },
  ];
  return (
    <div class="view jobs">
      <h1 class="visually-hidden">Jobs</h1>
      <div class="tools">
        <Segments label="State" value={state} onChange={(value) => change({ state: value })} options={[
          { value: "", text: "all", count: found.length },
          { value: "waiting", text: "waiting", count: counts.waiting },
          { value: "planned", text: "planned", count: counts.planned },
          { value: "running", text: "running", count: counts.running },
          { value: "pending", text: "pending", count: counts.pending },
        ]} />
        <QueueFilter model={model} value={queue} />
      </div>
      {rows.length === 0
        ? <Empty>{model.jobs.size === 0 ? "There are no jobs." : "No job is like this."}</Empty>
        : <LongTable label="Jobs" rows={rows} columns={columns} keyOf={(job) => String(job.id)} height={34}
            onOpen={(job) => job.name !== kHidden && change({ job: job.name, node: "" }, false)}
            isOpen={(job) => job.name === parameters.job} />}
    </div>
  );
}
