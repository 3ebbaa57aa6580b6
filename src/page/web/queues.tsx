// The view Queues: the tree, with bars of one resource, and its use over the last day.
import { Chart } from "./chart";
import { kColours, queueIndex } from "./colours";
import { amount, count, percent, quantity, resourceName } from "./format";
import type { Model, Queue } from "./model";
import { Empty, Segments, Swatch, openJobs, type ViewProps } from "./parts";
import { change } from "./route";

interface Row {
  queue: Queue;
  depth: number;
}

// Each queue is followed by those below it.
function tree(model: Model): Row[] {
  const children = new Map<string, Queue[]>();
  for (const queue of model.queues.values()) {
    const parent = model.queues.has(queue.parent) ? queue.parent : "";
    children.set(parent, [...(children.get(parent) ?? []), queue]);
  }
  const rows: Row[] = [];
  const add = (parent: string, depth: number) => {
    const below = (children.get(parent) ?? []).sort((a, b) => a.queue.localeCompare(b.queue, "en", { numeric: true }));
    for (const queue of below) {
      rows.push({ queue, depth });
      add(queue.queue, depth + 1);
    }
  };
  add("", 0);
  return rows;
}

// Bars end at `scale`.
function Bar({ model, queue, resource, scale, total }: {
  model: Model; queue: Queue; resource: string; scale: number; total: number;
}) {
  const value = (amounts: Record<string, string>) => quantity(resource, amounts[resource]);
  const used = value(queue.allocated);
  const share = value(queue.deserved);
  const guarantee = value(queue.guarantee);
  const capability = value(queue.realCapability);
  const demand = value(queue.demand);
  const part = (of: number) => `${Math.min(100, (100 * of) / Math.max(scale, 1))}%`;
  const text = `used ${amount(resource, used)}, share ${amount(resource, share)}, guarantee ${amount(resource, guarantee)}, most ${amount(resource, capability || total)}`;
  return (
    <div class="queue-bar" role="img" aria-label={text} title={text}>
      <i class="most" style={{ width: part(capability > 0 ? capability : total) }} />
      <i class="demand" style={{ width: part(demand) }} />
      <i class="used" style={{ width: part(used), background: `var(--q${queueIndex(model.queueNames, queue.queue)})` }} />
      {guarantee > 0 && <i class="guarantee" style={{ width: part(guarantee) }} />}
      {share > 0 && <i class="share" style={{ left: part(share) }} />}
    </div>
  );
}

function Notes({ queue }: { queue: Queue }) {
  const notes = [queue.fault, queue.closedAbove && `closed by ${queue.closedAbove}`, ...queue.notes];
  if (queue.reservation && queue.reservation.lacks !== "") notes.push(queue.reservation.lacks);
  const shown = notes.filter((note) => note !== "" && note !== undefined);
  return <>{shown.map((note) => <p key={note} class="fault">{note}</p>)}</>;
}

function Use({ model, resource, r }: { model: Model; resource: string; r: number }) {
  const spans = model.day;
  const names = new Map<string, number>();
  for (const span of spans) {
    for (const [name, parts] of Object.entries(span.queues)) names.set(name, (names.get(name) ?? 0) + (parts[r] ?? 0) * span.seconds);
  }
  const largest = [...names].sort((a, b) => b[1] - a[1]).slice(0, kColours - 1).map(([name]) => name);
  const lines = largest.map((name) => ({
    label: name || "others",
    colour: name === "" ? "--foreign" : `--q${queueIndex(model.queueNames, name)}`,
    values: spans.map((span) => (span.queues[name]?.[r] ?? 0) / 1e6),
  }));
  return (
    <Chart title={`Use of ${resourceName(resource)}`} note="part of the cluster, by queue, over the last day" stacked most={1}
      times={spans.map((span) => span.begin)} lines={lines} format={(value) => `${Math.round(value * 100)} %`} />
  );
}

export function QueuesView({ model, parameters }: ViewProps) {
  const resources = model.cluster.resources;
  const usual = resources[model.device >= 0 ? model.device : 0] ?? "cpu";
  const resource = resources.includes(parameters.resource ?? "") ? parameters.resource : usual;
  const r = model.resource(resource);
  const total = model.cluster.total[r] ?? 0;
  const text = (parameters.q ?? "").toLowerCase();
  const rows = tree(model).filter(({ queue }) => text === "" || queue.queue.toLowerCase().includes(text));
  const scale = Math.min(total, Math.max(...rows.map(({ queue }) => {
    const most = quantity(resource, queue.realCapability[resource]) || total;
    return Math.max(most, quantity(resource, queue.allocated[resource]), quantity(resource, queue.deserved[resource]));
  }), 1));
  if (model.queues.size === 0) return <Empty>There are no queues.</Empty>;
  return (
    <div class="view queues">
      <h1 class="visually-hidden">Queues</h1>
      <div class="tools">
        <Segments label="Resource" value={resource} onChange={(value) => change({ resource: value })}
          options={resources.map((name) => ({ value: name, text: resourceName(name) }))} />
        <div class="legend">
          <span class="key"><i class="tile use" />used</span>
          <span class="key"><i class="tile demand" />asked for</span>
          <span class="key"><i class="tile share" />share</span>
          <span class="key"><i class="tile guarantee" />guarantee</span>
          <span class="key"><i class="tile most" />the most it may have</span>
        </div>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Queues">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Queue</th><th scope="col" class="number">Waiting</th><th scope="col" class="number">Running</th>
              <th scope="col" class="fill">{resourceName(resource)}; the bar ends at {amount(resource, scale)} of {amount(resource, total)}</th>
              <th scope="col" class="number">Used</th><th scope="col" class="number">Share</th>
              <th scope="col" class="number wide">Guarantee</th><th scope="col" class="number wide">Own nodes</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ queue, depth }) => {
              const value = (amounts: Record<string, string>) => quantity(resource, amounts[resource]);
              return (
                <tr key={queue.queue}>
                  <th scope="row">
                    <span class="indent" style={{ paddingLeft: `${depth * 18}px` }}>
                      <Swatch model={model} queue={queue.queue} />
                      <button class="link name cut" title={queue.queue} onClick={() => openJobs({ queue: queue.queue })}>{queue.queue}</button>
                      {queue.state !== "Open" && <span class="badge">{queue.state}</span>}
                      {queue.overused && <span class="badge kept" title="it has more than its share">beyond its share</span>}
                    </span>
                    <Notes queue={queue} />
                  </th>
                  <td class="number">{count((queue.jobs.pending ?? 0) + (queue.jobs.inqueue ?? 0))}</td>
                  <td class="number">{count(queue.jobs.running ?? 0)}</td>
                  <td class="fill"><Bar model={model} queue={queue} resource={resource} scale={scale} total={total} /></td>
                  <td class="number">{amount(resource, value(queue.allocated))} <span class="muted">{percent(value(queue.allocated), total)}</span></td>
                  <td class="number">{value(queue.deserved) > 0 ? amount(resource, value(queue.deserved)) : "–"}</td>
                  <td class="number wide">{value(queue.guarantee) > 0 ? amount(resource, value(queue.guarantee)) : "–"}</td>
                  <td class="number wide">{queue.reservation ? `${count(queue.reservation.nodes.length)}${queue.reservation.met ? "" : ", not met"}` : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Use model={model} resource={resource} r={r} />
    </div>
  );
}
