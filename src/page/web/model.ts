// The state of the cluster, as berthd serves it (docs/design/page.md, "The documents").

export const enum PodState { running, bound, planned, leaving, claimed }

export interface Group {
  job: number; // -1: not Berth's
  state: PodState;
  pods: number;
  amounts: number[];
}

export interface Node {
  name: string;
  unschedulable: boolean;
  domain: number;
  allocatable: number[];
  used: number[];
  target: number;
  queue: string;
  groups: Group[];
  version: number; // of the model, of its last change
}

export interface Domain {
  id: number;
  name: string;
  level: number;
  parent: number;
}

export interface More {
  reason?: string;
  message?: string;
  by?: number;
  from?: number;
  to?: number;
  target?: number;
  why?: string;
  promised?: number;
  limit?: number;
  ends?: number; // by limits
  gated?: number;
}

export interface Job {
  id: number;
  name: string;
  queue: string;
  phase: string;
  priority: number;
  minimum: number;
  pending: number;
  planned: number;
  running: number;
  leaving: number;
  succeeded: number;
  failed: number;
  created: number;
  since: number;
  started: number; // 0: no pod has a node
  more: More;
}

// Instead of a name that the viewer may not see.
export const kHidden = "a job of another namespace";

type Quantities = Record<string, string>;

// A row of /queues.
export interface Queue {
  queue: string;
  parent: string;
  state: string;
  closedAbove: string;
  fault: string;
  weight: number;
  priority: number;
  reclaimable: boolean;
  dequeueStrategy: string;
  guarantee: Quantities;
  deserved: Quantities;
  allocated: Quantities;
  demand: Quantities;
  realCapability: Quantities;
  lent: Quantities;
  overused: boolean;
  reservation: null | {
    policy: string;
    nodes: string[];
    met: boolean;
    lacks: string;
    missing: Quantities;
  };
  notes: string[];
  jobs: Record<string, number>;
}

// A row of /reservations.
export interface Reservation {
  job: string;
  uid: string;
  queue: string;
  priority: number;
  waitsSince: string;
  electedSince: string;
  why: string;
  lock: string;
  nodes: string[];
  lockedSince: string | null;
  covered: boolean;
  timesOutAt: string | null;
  givesUpAt: string | null;
  missing: { resource: string; idle: string; need: string }[];
  locked: Quantities;
  idle: Quantities;
  idleRoomSeconds: Quantities;
}

export interface Session {
  number: number;
  at: number; // milliseconds
  took: number; // microseconds, as all below
  events: number;
  binds: number;
  pipelined: number;
  admitted: number;
  evictions: number;
  actions: number[];
}

export interface Span {
  begin: number;
  seconds: number;
  sessions: number;
  took: number;
  longest: number;
  actions: number[];
  binds: number;
  admitted: number;
  evictions: number;
  started: number;
  waits: number[];
  waitingJobs: number;
  waitingPods: number;
  used: number[];
  queues: Record<string, number[]>;
}

export interface Eviction {
  number: number;
  at: number;
  pod: string;
  job: string;
  queue: string;
  node: string;
  claimant: string;
  action: string;
  kind: string;
  why: string;
  age: number;
  room: Quantities;
}

export interface Cluster {
  leads: boolean;
  version: string;
  resources: string[];
  actions: string[];
  levels: string[];
  total: number[];
  used: number[];
}

type Item = any[] & Record<string, any>;
export interface Answer {
  kind: string;
  instance: string;
  version: number;
  now: number; // milliseconds, of the cluster
  whole: boolean;
  set: Record<string, Item[]>;
  gone?: Record<string, string[]>;
}

const readNode = (i: Item, version: number): Node => ({
  name: i[0], unschedulable: (i[1] & 1) !== 0, domain: i[2], allocatable: i[3], used: i[4], target: i[5], queue: i[6],
  groups: i[7].map((g: number[]) => ({ job: g[0], state: g[1], pods: g[2], amounts: g.slice(3) })),
  version,
});

const readJob = (i: Item): Job => ({
  id: i[0], name: i[1], queue: i[2], phase: i[3], priority: i[4], minimum: i[5],
  pending: i[6][0], planned: i[6][1], running: i[6][2], leaving: i[6][3], succeeded: i[6][4], failed: i[6][5],
  created: i[7], since: i[8], started: i[9], more: i[10],
});

const readSession = (i: Item): Session => ({
  number: i[0], at: i[1], took: i[2], events: i[3], binds: i[4], pipelined: i[5], admitted: i[6], evictions: i[7],
  actions: i[8],
});

const readSpan = (i: Item): Span => ({
  begin: i[0], seconds: i[1], sessions: i[2], took: i[3], longest: i[4], actions: i[5], binds: i[6], admitted: i[7],
  evictions: i[8], started: i[9], waits: i[10], waitingJobs: i[11], waitingPods: i[12], used: i[13], queues: i[14],
});

const readEviction = (i: Item): Eviction => ({
  number: i[0], at: i[1], pod: i[2], job: i[3], queue: i[4], node: i[5], claimant: i[6], action: i[7], kind: i[8],
  why: i[9], age: i[10], room: i[11],
});

const kNothing: Cluster = { leads: true, version: "", resources: [], actions: [], levels: [], total: [], used: [] };

const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

export class Model {
  instance = "";
  isForwarded = false; // the answers come through `berth page`
  version = 0; // of the answers
  now = 0; // of the cluster, in seconds; tick() moves it on
  private mergedAt = 0; // as performance.now()
  private mergedNow = 0; // of the cluster, then
  changes = 0; // counts merged answers
  nodesChanges = 0; // of these, the last one with other nodes than before (not other contents)
  cluster = kNothing;
  readonly nodes = new Map<string, Node>();
  readonly domains = new Map<string, Domain>();
  readonly jobs = new Map<string, Job>();
  order: number[] = [];
  readonly queues = new Map<string, Queue>();
  readonly reservations = new Map<string, Reservation>();
  readonly sessions = new Map<string, Session>();
  readonly spans = new Map<string, Span>();
  readonly evictions = new Map<string, Eviction>();
  private lists = new Map<string, { changes: number; value: unknown }>();

  // PAGE-2. What is gone goes first: a key may be there again.
  merge(answer: Answer, age = 0): void {
    if (!answer.whole && answer.instance !== this.instance) return;
    ++this.changes;
    const sections: Record<string, Map<string, unknown>> = {
      nodes: this.nodes, domains: this.domains, jobs: this.jobs, queues: this.queues,
      reservations: this.reservations, sessions: this.sessions, spans: this.spans, evictions: this.evictions,
    };
    if (answer.whole) {
      for (const section of Object.values(sections)) section.clear();
      this.order = [];
      this.cluster = kNothing;
      this.nodesChanges = this.changes;
    }
    for (const [name, keys] of Object.entries(answer.gone ?? {})) {
      for (const key of keys) sections[name]?.delete(key);
      if (name === "nodes" || name === "domains") this.nodesChanges = this.changes;
    }
    const { set } = answer;
    const put = <T>(name: string, to: Map<string, T>, read: (item: Item) => T, keyOf: (value: T) => unknown) => {
      for (const item of set[name] ?? []) {
        const value = read(item);
        to.set(String(keyOf(value)), value);
      }
    };
    const before = this.nodes.size;
    if (set.cluster) this.cluster = set.cluster[0] as unknown as Cluster;
    if (set.domains) this.nodesChanges = this.changes;
    if (set.order) this.order = set.order[0];
    put("domains", this.domains, (i) => ({ id: i[0], name: i[1], level: i[2], parent: i[3] }), (d) => d.id);
    put("nodes", this.nodes, (i) => readNode(i, this.changes), (n) => n.name);
    put("jobs", this.jobs, readJob, (j) => j.id);
    put("queues", this.queues, (i) => i as unknown as Queue, (q) => q.queue);
    put("reservations", this.reservations, (i) => i as unknown as Reservation, (r) => r.uid);
    put("sessions", this.sessions, readSession, (s) => s.number);
    put("spans", this.spans, readSpan, (s) => `${s.begin}/${s.seconds}`);
    put("evictions", this.evictions, readEviction, (e) => e.number);
    if (this.nodes.size !== before) this.nodesChanges = this.changes;
    this.instance = answer.instance;
    this.version = answer.version;
    const now = answer.now / 1000 + age;
    // Ages are whole seconds: time shall not go back by one.
    this.now = now < this.now && now > this.now - 3 ? this.now : now;
    this.mergedNow = this.now;
    this.mergedAt = performance.now();
  }

  tick(): void { this.now = this.mergedNow + (performance.now() - this.mergedAt) / 1000; }

  // Of a value that takes work, until the next answer.
  private kept<T>(name: string, make: () => T): T {
    const known = this.lists.get(name);
    if (known && known.changes === this.changes) return known.value as T;
    const value = make();
    this.lists.set(name, { changes: this.changes, value });
    return value;
  }

  job(id: number): Job | undefined { return id < 0 ? undefined : this.jobs.get(String(id)); }
  jobNamed(name: string): Job | undefined {
    return this.kept("byName", () => new Map(this.namedJobs.map((j) => [j.name, j]))).get(name);
  }
  resource(name: string): number { return this.cluster.resources.indexOf(name); }

  // The resource that cells of nodes stand for; -1: nodes have none.
  get device(): number {
    return this.kept("device", () => {
      const counts = this.cluster.resources.map(() => 0);
      for (const node of this.nodes.values()) {
        node.allocatable.forEach((amount, r) => { if (r > 1 && amount > 0) ++counts[r]; });
      }
      const most = Math.max(0, ...counts);
      return most === 0 ? -1 : counts.indexOf(most);
    });
  }

  get queueNames(): string[] {
    return this.kept("queueNames", () => {
      const names = new Set<string>(this.queues.keys());
      for (const job of this.jobs.values()) names.add(job.queue);
      return [...names].sort(byName);
    });
  }

  // By job: its place in the whole order and in its queue, from 1.
  get places(): Map<number, { all: number; inQueue: number; ofQueue: number }> {
    return this.kept("places", () => {
      const places = new Map<number, { all: number; inQueue: number; ofQueue: number }>();
      const counts = new Map<string, number>();
      this.order.forEach((id, i) => {
        const queue = this.job(id)?.queue ?? "";
        const inQueue = (counts.get(queue) ?? 0) + 1;
        counts.set(queue, inQueue);
        places.set(id, { all: i + 1, inQueue, ofQueue: 0 });
      });
      for (const [id, place] of places) place.ofQueue = counts.get(this.job(id)?.queue ?? "") ?? 0;
      return places;
    });
  }

  get namedJobs(): Job[] { return this.kept("namedJobs", () => this.jobList.filter((j) => j.name !== kHidden)); }
  get jobList(): Job[] { return this.kept("jobList", () => [...this.jobs.values()]); }
  get nodeList(): Node[] {
    return this.kept("nodeList", () => [...this.nodes.values()].sort((a, b) => byName(a.name, b.name)));
  }
  get nodesOfJobs(): Map<number, { node: Node; group: Group }[]> {
    return this.kept("nodesOfJobs", () => {
      const of = new Map<number, { node: Node; group: Group }[]>();
      for (const node of this.nodeList) {
        for (const group of node.groups) {
          if (group.job < 0) continue;
          const list = of.get(group.job);
          if (list) list.push({ node, group });
          else of.set(group.job, [{ node, group }]);
        }
      }
      return of;
    });
  }

  // The last day: ten minutes each, and from the first minute on, minutes.
  get day(): Span[] {
    return this.kept("day", () => {
      const spans = [...this.spans.values()].sort((a, b) => a.begin - b.begin);
      const minutes = spans.filter((s) => s.seconds === 60);
      const first = minutes[0]?.begin ?? Infinity;
      return [...spans.filter((s) => s.seconds > 60 && s.begin + s.seconds <= first), ...minutes];
    });
  }
}

export const isWaiting = (job: Job): boolean => job.more.reason !== undefined;
export const podCount = (job: Job): number => job.pending + job.planned + job.running + job.leaving;
export function stateOf(job: Job): "waiting" | "planned" | "running" | "pending" {
  if (isWaiting(job)) return "waiting";
  if (job.planned > 0) return "planned";
  return job.running > 0 ? "running" : "pending";
}
