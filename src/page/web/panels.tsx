// What is beside a view: one job, or one node.
import { amount, count, duration, percent, plural, resourceName, zone } from "./format";
import { PodState, isWaiting, podCount, stateOf, type Group, type Job, type Model, type Node } from "./model";
import { Command, Facts, JobLink, NodeLink, Panel, QueueName, Time } from "./parts";
import { go } from "./route";

const kStates = ["running", "bound", "planned", "leaving", "claimed"];
export const podStateName = (state: PodState): string => kStates[state];

const nameOf = (full: string): [string, string] => {
  const slash = full.indexOf("/");
  return [full.slice(0, slash), full.slice(slash + 1)];
};

// Safe to paste: names of Kubernetes have no characters that a shell reads, but a name is a user's.
export const quoted = (text: string): string =>
  /^[A-Za-z0-9._/:=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export function Start({ job, now }: { job: Job; now: number }) {
  const { by, from, to, promised } = job.more;
  if (by !== undefined) return <span>by <Time at={by} now={now} /></span>;
  if (promised !== undefined) return <span>at <Time at={promised} now={now} /></span>;
  if (from !== undefined && to !== undefined) {
    return <span><Time at={from} now={now} /> – <Time at={to} now={now} /></span>;
  }
  return <span class="muted">not known</span>;
}

function sumOf(groups: { group: Group }[], resources: string[]): string {
  return resources.map((name, r) => {
    const sum = groups.reduce((total, { group }) => total + (group.amounts[r] ?? 0), 0);
    return sum > 0 ? `${amount(name, sum)} ${resourceName(name)}` : "";
  }).filter((text) => text !== "").join(", ");
}

function Ahead({ model, job }: { model: Model; job: Job }) {
  const place = model.places.get(job.id);
  if (!place || place.all === 1) return null;
  const before = model.order.slice(Math.max(0, place.all - 9), place.all - 1).reverse();
  return (
    <section>
      <h3>Before it</h3>
      <p class="muted">{plural(place.all - 1, "job")} in all queues; the nearest:</p>
      <ol class="plain">
        {before.map((id) => {
          const other = model.job(id);
          return other && <li key={id}><JobLink name={other.name} /> <QueueName model={model} queue={other.queue} /></li>;
        })}
      </ol>
    </section>
  );
}

export function JobPanel({ model, name }: { model: Model; name: string }) {
  const job = model.jobNamed(name);
  if (!job) {
    return (
      <Panel kind="Job" title={name}>
        <p class="note">There is no such job any more: it has ended, or it was deleted.</p>
      </Panel>
    );
  }
  const [space, short] = nameOf(job.name);
  const places = model.nodesOfJobs.get(job.id) ?? [];
  const place = model.places.get(job.id);
  const { more } = job;
  return (
    <Panel kind="Job" title={name}>
      <p><span class={`badge ${stateOf(job)}`}>{stateOf(job)}</span> <QueueName model={model} queue={job.queue} /></p>
      {isWaiting(job) && (
        <section class="reason">
          <h3>Why it waits</h3>
          <p class="message">{more.message}</p>
          <p class="code">{more.reason}</p>
        </section>
      )}
      <Facts facts={[
        ["phase", job.phase],
        ["pods", `${count(podCount(job))}, of which at least ${count(job.minimum)} start together`],
        ["running", job.running > 0 && count(job.running)],
        ["planned", job.planned > 0 && count(job.planned)],
        ["without a place", job.pending > 0 && count(job.pending)],
        ["gated", more.gated !== undefined && count(more.gated)],
        ["leaving", job.leaving > 0 && count(job.leaving)],
        ["succeeded", job.succeeded > 0 && count(job.succeeded)],
        ["failed", job.failed > 0 && count(job.failed)],
        ["uses", places.length > 0 && sumOf(places, model.cluster.resources)],
        ["priority", count(job.priority)],
        ["waits since", isWaiting(job) && <span><Time at={job.since} now={model.now} /> ({duration(model.now - job.since)})</span>],
        ["runs since", job.started > 0 && <span><Time at={job.started} now={model.now} /> ({duration(model.now - job.started)})</span>],
        ["position", place && `${count(place.inQueue)} of ${count(place.ofQueue)} in its queue, ${count(place.all)} of ${count(model.order.length)} in all`],
        ["start", isWaiting(job) && <Start job={job} now={model.now} />],
        ["ends", more.ends !== undefined && <span>by <Time at={more.ends} now={model.now} />, by its limits</span>],
        ["time limit", more.limit !== undefined && duration(more.limit)],
        ["nodes kept since", more.target !== undefined && <Time at={more.target} now={model.now} />],
        ["because", more.why],
        ["created", <Time at={job.created} now={model.now} />],
      ]} />
      {places.length > 0 && (
        <section>
          <h3>Nodes</h3>
          <ul class="plain columns">
            {places.slice(0, 40).map(({ node, group }) => (
              <li key={`${node.name} ${group.state}`}>
                <NodeLink name={node.name} /> <span class="muted">{count(group.pods)} {podStateName(group.state)}</span>
              </li>
            ))}
          </ul>
          {places.length > 40 && <p class="muted">and {plural(places.length - 40, "more node")}</p>}
        </section>
      )}
      {isWaiting(job) && <Ahead model={model} job={job} />}
      <section>
        <h3>Ask further</h3>
        <Command text={`kubectl berth why -n ${quoted(space)} ${quoted(short)}`} />
        {isWaiting(job) && (
          <button class="link" onClick={() => go("whatif", { job: job.name })}>What would start it?</button>
        )}
      </section>
      <p class="muted small">Times are in {zone()}.</p>
    </Panel>
  );
}

export function Room({ model, node }: { model: Model; node: Node }) {
  return (
    <table class="room">
      <thead><tr><th scope="col">resource</th><th scope="col" class="number">used</th><th scope="col" class="number">of</th><th scope="col"><span class="visually-hidden">part</span></th></tr></thead>
      <tbody>
        {model.cluster.resources.map((name, r) => (node.allocatable[r] ?? 0) > 0 && (
          <tr key={name}>
            <th scope="row">{resourceName(name)}</th>
            <td class="number">{amount(name, node.used[r] ?? 0)}</td>
            <td class="number">{amount(name, node.allocatable[r])}</td>
            <td class="number muted">{percent(node.used[r] ?? 0, node.allocatable[r])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function lockText(model: Model, node: Node): string {
  const target = model.job(node.target);
  if (node.target >= 0) return `kept for ${target ? target.name : "a job"}`;
  return node.queue === "" ? "" : `of queue ${node.queue}`;
}

export function domainText(model: Model, node: Node): string {
  const names: string[] = [];
  for (let at = model.domains.get(String(node.domain)); at; at = model.domains.get(String(at.parent))) {
    names.unshift(at.name);
  }
  return names.join(" / ");
}

export function NodePanel({ model, name }: { model: Model; name: string }) {
  const node = model.nodes.get(name);
  if (!node) return <Panel kind="Node" title={name}><p class="note">There is no such node any more.</p></Panel>;
  const target = model.job(node.target);
  return (
    <Panel kind="Node" title={name}>
      {node.unschedulable && <p><span class="badge">cordoned</span></p>}
      <Room model={model} node={node} />
      <Facts facts={[
        ["domain", domainText(model, node) || undefined],
        ["kept for", target && <JobLink name={target.name} />],
        ["of queue", node.queue !== "" && <QueueName model={model} queue={node.queue} />],
      ]} />
      <section>
        <h3>Pods</h3>
        {node.groups.length === 0 && <p class="muted">none</p>}
        <ul class="plain">
          {node.groups.map((group) => {
            const job = model.job(group.job);
            return (
              <li key={`${group.job} ${group.state}`} class="pods">
                {job ? <JobLink name={job.name} /> : <span>{group.job < 0 ? "pods of others" : "a job that has ended"}</span>}
                {job && <QueueName model={model} queue={job.queue} />}
                <span class="muted">
                  {plural(group.pods, "pod")} {podStateName(group.state)}: {sumOf([{ group }], model.cluster.resources) || "no requests"}
                </span>
              </li>
            );
          })}
        </ul>
      </section>
    </Panel>
  );
}
