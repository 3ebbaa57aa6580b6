// The view Reservations: the jobs that nodes are kept for, and what ends on these nodes when.
import { amount, count, duration, percent, plural, quantity, resourceName, seconds } from "./format";
import { PodState, type Job, type Model, type Reservation } from "./model";
import { Empty, Facts, JobLink, QueueName, Time, type ViewProps } from "./parts";

interface Occupant {
  job: Job | undefined; // undefined: pods of others
  pods: number;
  nodes: number;
  leaving: boolean;
  ends: number; // 0: not known
}

function occupantsOf(model: Model, reservation: Reservation): Occupant[] {
  const byJob = new Map<number, Occupant>();
  for (const name of reservation.nodes) {
    const node = model.nodes.get(name);
    for (const group of node?.groups ?? []) {
      // The target's name may be hidden; its number is not.
      const isOwn = group.job >= 0 && group.job === node?.target;
      if (isOwn || group.state === PodState.claimed) continue;
      const job = model.job(group.job);
      const known = byJob.get(group.job) ??
        { job, pods: 0, nodes: 0, leaving: false, ends: job?.more.ends ?? 0 };
      known.pods += group.pods;
      known.nodes += 1;
      known.leaving = known.leaving || group.state === PodState.leaving;
      byJob.set(group.job, known);
    }
  }
  return [...byJob.values()].sort((a, b) => (a.ends || Infinity) - (b.ends || Infinity));
}

function Ends({ model, reservation }: { model: Model; reservation: Reservation }) {
  const occupants = occupantsOf(model, reservation);
  if (occupants.length === 0) return <p class="muted">Nothing else runs there.</p>;
  const last = Math.max(model.now + 600, ...occupants.map((each) => each.ends)) - model.now;
  const at = (time: number) => `${Math.max(1, Math.min(100, (100 * (time - model.now)) / last))}%`;
  return (
    <ul class="ends">
      {occupants.slice(0, 20).map((each) => (
        <li key={each.job?.id ?? -1}>
          <span class="who">{each.job ? <JobLink name={each.job.name} /> : "pods of others"} <span class="muted">{plural(each.pods, "pod")} on {plural(each.nodes, "node")}</span></span>
          <span class="line" aria-hidden="true">
            <i class={each.ends === 0 ? "unknown" : each.leaving ? "leaving" : "known"} style={{ width: each.ends === 0 ? "100%" : at(each.ends) }} />
          </span>
          <span class="when">{each.leaving ? "leaving" : each.ends === 0 ? <span class="muted">end not known</span> : <span>by <Time at={each.ends} now={model.now} /></span>}</span>
        </li>
      ))}
      {occupants.length > 20 && <li class="muted">and {plural(occupants.length - 20, "more job")}</li>}
    </ul>
  );
}

function Card({ model, reservation }: { model: Model; reservation: Reservation }) {
  const idle = Object.keys(reservation.locked).filter((name) => name !== "pods" && name !== "ephemeral-storage");
  return (
    <article class="card">
      <header>
        <h2><JobLink name={reservation.job} /></h2>
        <QueueName model={model} queue={reservation.queue} />
        <span class={`badge ${reservation.covered ? "running" : "waiting"}`}>{reservation.covered ? "covered" : "not covered"}</span>
      </header>
      <p>{reservation.why}</p>
      <Facts facts={[
        ["waits since", <span><Time at={seconds(reservation.waitsSince)} now={model.now} /> ({duration(model.now - seconds(reservation.waitsSince))})</span>],
        ["elected", <Time at={seconds(reservation.electedSince)} now={model.now} />],
        ["nodes kept", <span>{count(reservation.nodes.length)} <span class="muted">{reservation.nodes.slice(0, 8).join(", ")}{reservation.nodes.length > 8 ? " …" : ""}</span></span>],
        ["lock", reservation.lock],
        ["all nodes from", reservation.timesOutAt && <Time at={seconds(reservation.timesOutAt)} now={model.now} />],
        ["given up at", reservation.givesUpAt && <Time at={seconds(reservation.givesUpAt)} now={model.now} />],
        ["missing", reservation.missing.length > 0 && reservation.missing.map((each) =>
          `${resourceName(each.resource)}: ${amount(each.resource, quantity(each.resource, each.need))} needed, ${amount(each.resource, quantity(each.resource, each.idle))} idle there`).join("; ")],
      ]} />
      <table class="room">
        <thead><tr><th scope="col">on its nodes</th><th scope="col" class="number">idle</th><th scope="col" class="number">of</th><th scope="col" class="number">part</th></tr></thead>
        <tbody>
          {idle.map((name) => {
            const whole = quantity(name, reservation.locked[name]);
            const part = quantity(name, reservation.idle[name]);
            return <tr key={name}><th scope="row">{resourceName(name)}</th><td class="number">{amount(name, part)}</td><td class="number">{amount(name, whole)}</td><td class="number muted">{percent(part, whole)}</td></tr>;
          })}
        </tbody>
      </table>
      <h3>It waits for the ends of</h3>
      <Ends model={model} reservation={reservation} />
    </article>
  );
}

export function ReservationsView({ model, parameters }: ViewProps) {
  const text = (parameters.q ?? "").toLowerCase();
  const found = [...model.reservations.values()]
    .filter((each) => text === "" || each.job.toLowerCase().includes(text) || each.queue.toLowerCase().includes(text))
    .sort((a, b) => a.electedSince.localeCompare(b.electedSince));
  return (
    <div class="view reservations">
      <h1 class="visually-hidden">Reservations</h1>
      {found.length === 0
        ? <Empty>No nodes are kept for a job now. That happens when a big job has waited for long.</Empty>
        : <div class="cards">{found.map((each) => <Card key={each.uid} model={model} reservation={each} />)}</div>}
    </div>
  );
}
