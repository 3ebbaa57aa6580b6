// A large cluster in the form of /page/state, and a server of it and of the files of the page: for
// sizes that no embedded cluster has here. All of it follows from the seed.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const kGpus = 8;
const kMemory = 2 ** 40;
export const kHidden = "a job of another namespace";

// `names`: makes names of jobs and queues, to try hostile ones.
export class LargeCluster {
  constructor({ nodes = 5000, pods = 20000, queues = 24, waiting = 400, seed = 1, names = (text) => text } = {}) {
    this.random = random(seed);
    this.now = Date.UTC(2026, 10, 28, 12) / 1000;
    this.version = 2;
    this.changed = { nodes: new Set(), jobs: new Set() };
    this.queues = Array.from({ length: queues }, (_, i) => names(`team-${i}`));
    this.jobs = new Map();
    this.nodes = [];
    this.nextJob = 0;
    for (let i = 0; i < nodes; ++i) {
      this.nodes.push({ name: names(`gpu-${String(i).padStart(4, "0")}`), domain: Math.floor(i / 16), free: kGpus, groups: [], target: -1, queue: "", flags: i % 997 === 0 ? 1 : 0 });
    }
    this.names = names;
    let placed = 0;
    let at = 0;
    while (placed < pods && at < nodes * 0.95) {
      const id = this.addJob(1 + Math.floor(this.random() ** 3 * 40));
      const job = this.jobs.get(id);
      const gpus = this.random() < 0.5 ? 1 : this.random() < 0.6 ? 2 : this.random() < 0.7 ? 4 : 8;
      for (let p = 0; p < job.pods && placed < pods && at < nodes; ++p) {
        if (this.nodes[at].free < gpus) ++at;
        if (at >= nodes) break;
        this.place(this.nodes[at], id, this.random() < 0.01 ? 3 : this.random() < 0.02 ? 2 : 0, gpus);
        ++job.running;
        ++placed;
      }
    }
    this.placed = placed;
    for (let i = 0; i < waiting; ++i) this.waitingJob(this.addJob(1 + Math.floor(this.random() * 64)));
    const target = this.order()[0];
    for (const node of this.keptNodes()) node.target = target;
    for (const node of this.ownNodes()) node.queue = this.queues[3];
    this.jobs.get(target).more = { ...this.jobs.get(target).more, target: this.now - 900, why: "it has waited for 1h, longer than wait-duration" };
  }

  // A fiftieth of the nodes is kept for the first job, another is a queue's own.
  keptNodes() { return this.nodes.slice(this.nodes.length / 50, this.nodes.length / 25); }
  ownNodes() { return this.nodes.slice(this.nodes.length / 10, this.nodes.length * 0.12); }

  addJob(pods) {
    const id = this.nextJob++;
    const queue = this.queues[Math.floor(this.random() ** 1.6 * this.queues.length)];
    this.jobs.set(id, { id, name: this.names(`ns-${id % 40}/train-${id}`), queue, pods, running: 0, started: this.now - Math.floor(this.random() * 40000), more: {} });
    const job = this.jobs.get(id);
    if (id % 3 === 0) job.more = { limit: 86400, ends: job.started + 86400 };
    return id;
  }

  waitingJob(id) {
    const job = this.jobs.get(id);
    job.since = this.now - Math.floor(this.random() * 20000);
    job.started = 0;
    job.more = {
      reason: "gang_not_ready",
      message: this.names(`${Math.floor(job.pods / 2)} of ${job.pods} members could be placed; 0/${this.nodes.length} nodes fit ${job.name}-0: ${this.nodes.length - 12} insufficient nvidia.com/gpu (8 needed, at most 4 idle), 12 locked for another job`),
      from: this.now + 600, to: this.now + 600 + Math.floor(this.random() * 9000),
    };
  }

  // As a bearer of a token sees it who may not see names of these namespaces (PAGE-14).
  hide(spaces) {
    for (const job of this.jobs.values()) {
      if (!spaces.test(job.name)) continue;
      job.name = kHidden;
      if (job.more.reason) job.more.message = "";
      if (job.more.why) job.more.why = "";
    }
    const { names } = this;
    this.names = (text) => (spaces.test(text) ? kHidden : names(text));
  }

  order() { return [...this.jobs.values()].filter((job) => job.more.reason).map((job) => job.id); }

  place(node, job, state, gpus) {
    const known = node.groups.find((g) => g[0] === job && g[1] === state);
    node.free -= gpus;
    if (known) {
      ++known[2];
      known[3] += 8000 * gpus;
      known[4] += 64 * 2 ** 30 * gpus;
      known[5] += gpus;
    } else {
      node.groups.push([job, state, 1, 8000 * gpus, 64 * 2 ** 30 * gpus, gpus]);
    }
  }

  // A job ends, and one that waits starts in its room.
  change() {
    const running = [...this.jobs.values()].filter((job) => job.running > 0 && job.running < 30);
    const job = running[Math.floor(this.random() * running.length)];
    for (const node of this.nodes) {
      const before = node.groups.length;
      node.groups = node.groups.filter((g) => {
        if (g[0] === job.id) node.free += g[5];
        return g[0] !== job.id;
      });
      if (node.groups.length !== before) this.changed.nodes.add(node);
    }
    job.running = 0;
    this.jobs.delete(job.id);
    this.gone = [job.id];
    const next = this.jobs.get(this.order()[1 + Math.floor(this.random() * 20)]);
    next.more = {};
    next.started = this.now;
    for (const node of this.changed.nodes) {
      while (node.free > 0 && next.running < next.pods) {
        this.place(node, next.id, 0, 1);
        ++next.running;
      }
    }
    this.changed.jobs.add(next);
    this.now += 1;
    ++this.version;
  }

  nodeItem(node) {
    const used = [8000, 64 * 2 ** 30, 1].map((one) => one * (kGpus - node.free));
    return [node.name, node.flags, node.domain, [96000, kMemory, kGpus], used, node.target, node.queue, node.groups];
  }
  jobItem(job) {
    return [job.id, job.name, job.queue, job.more.reason ? "Inqueue" : "Running", 0, job.pods, [job.pods - job.running, 0, job.running, 0, 0, 0], job.since ?? this.now - 50000, job.since ?? this.now - 49990, job.started, job.more];
  }
  total() { return this.nodes.length * kGpus; }
  used() { return this.nodes.reduce((sum, node) => sum + kGpus - node.free, 0); }

  clusterItem() {
    const scale = (gpus) => [gpus * 12000, (gpus * kMemory) / kGpus, gpus];
    return { leads: true, version: "0.1.0", resources: ["cpu", "memory", "nvidia.com/gpu"], actions: ["enqueue", "allocate", "backfill", "reclaim", "preempt"], levels: ["example.com/rack"], total: scale(this.total()), used: scale(this.used()) };
  }

  queueItems() {
    const none = { guarantee: {}, deserved: {}, allocated: {}, demand: {}, realCapability: {}, lent: {} };
    return this.queues.map((queue, i) => ({
      ...none, queue, parent: i < 4 ? "" : this.queues[i % 4], state: "Open", closedAbove: "", fault: "", weight: 1, priority: 0, reclaimable: true, dequeueStrategy: "traverse", overused: i % 7 === 1,
      allocated: { "nvidia.com/gpu": String(200 + ((i * 37) % 900)), cpu: "1600" }, deserved: { "nvidia.com/gpu": String(800) }, demand: { "nvidia.com/gpu": String(1100) },
      guarantee: i % 3 === 0 ? { "nvidia.com/gpu": "200" } : {}, realCapability: { "nvidia.com/gpu": String(4000) },
      reservation: i === 3 ? { policy: "Guaranteed", nodes: this.ownNodes().map((n) => n.name), met: false, lacks: "", missing: {} } : null,
      notes: [], jobs: { pending: i, inqueue: 2, running: 30 + i, unknown: 0, completed: 0 },
    }));
  }

  reservationItems() {
    const job = this.jobs.get(this.order()[0]);
    const time = (seconds) => new Date(seconds * 1000).toISOString();
    return [{
      job: job.name, uid: "u1", queue: job.queue, priority: 0, waitsSince: time(this.now - 4500), electedSince: time(this.now - 900), why: job.more.why ?? "", lock: "multi-node",
      nodes: this.keptNodes().map((n) => n.name), lockedSince: time(this.now - 880), covered: true, timesOutAt: null, givesUpAt: time(this.now + 9000),
      missing: [{ resource: "nvidia.com/gpu", idle: "12", need: "256" }], locked: { "nvidia.com/gpu": "256", cpu: "3072" }, idle: { "nvidia.com/gpu": "12", cpu: "1600" }, idleRoomSeconds: {},
    }];
  }

  historyItems() {
    const sessions = Array.from({ length: 120 }, (_, i) => [i + 1, (this.now - 120 + i) * 1000, 4000 + ((i * 7919) % 3000), i % 9, i % 5, 0, i % 2, 0, [300, 2500 + ((i * 7919) % 2000), 400, 120, 200]]);
    const spans = [];
    const span = (begin, seconds) => {
      const wave = 0.7 + 0.25 * Math.sin(begin / 9000);
      const queues = Object.fromEntries(this.queues.slice(0, 10).map((queue, i) => [queue, [0, 0, Math.round((wave * 1e6) / 11 * (1 + 0.4 * Math.sin(begin / 5000 + i)))]]));
      spans.push([begin, seconds, seconds, seconds * 4200, 21000 + ((begin / 60) % 17) * 900, [300, 2500, 400, 120, 200].map((t) => t * seconds), seconds / 2, 8, begin % 1800 === 0 ? 3 : 0, 12, [1, 0, 2, 1, 0, 0, 2, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 380 + Math.round(60 * wave), 2000, [0.6, 0.5, wave].map((p) => Math.round(p * 1e6)), queues]);
    };
    const hour = Math.floor(this.now / 600) * 600;
    for (let t = hour - 86400; t < hour - 7200; t += 600) span(t, 600);
    for (let t = hour - 7200; t < this.now; t += 60) span(t, 60);
    const evictions = Array.from({ length: 60 }, (_, i) => [i + 1, this.now - 9000 + i * 140, this.names(`ns-2/sweep-${i}-0`), this.names(`ns-2/sweep-${i}`), this.queues[2], this.nodes[(i * 3) % this.nodes.length].name, this.names(`ns-1/train-${i}`), "reclaim", "surplus", `by reclaim for ${this.names(`ns-1/train-${i}`)}: queue ${this.queues[2]} has more than its share`, 3600 + i * 60, { cpu: "8", memory: "64Gi", "nvidia.com/gpu": "2" }]);
    return { sessions, spans, evictions };
  }

  whole() {
    const domains = Array.from({ length: Math.ceil(this.nodes.length / 16) }, (_, i) => [i, `rack-${i + 1}`, 0, -1]);
    const { sessions, spans, evictions } = this.historyItems();
    return this.document(true, {
      cluster: [this.clusterItem()], domains, nodes: this.nodes.map((n) => this.nodeItem(n)), jobs: [...this.jobs.values()].map((j) => this.jobItem(j)),
      order: [this.order()], queues: this.queueItems(), reservations: this.reservationItems(), sessions, spans, evictions,
    });
  }

  delta() {
    const set = { cluster: [this.clusterItem()], nodes: [...this.changed.nodes].map((n) => this.nodeItem(n)), jobs: [...this.changed.jobs].map((j) => this.jobItem(j)), order: [this.order()] };
    this.changed = { nodes: new Set(), jobs: new Set() };
    return { ...this.document(false, set), gone: { jobs: this.gone.map(String) } };
  }

  document(whole, set) {
    return { apiVersion: "berth.dev/v1", kind: "PageState", instance: "fixture", version: this.version, now: this.now * 1000, whole, set };
  }
}

const kTypes = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", txt: "text/plain" };
// As berthd has it (PAGE-10).
const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Serves the files of `bundle` and the cluster, which changes each `period` milliseconds; 0: never.
// `own`: further headers of the state.
export function serve(cluster, bundle, period = 0, own = {}) {
  let answers = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const headers = { "Content-Security-Policy": kPolicy, "X-Content-Type-Options": "nosniff" };
    if (pathname === "/page/state") {
      const isKnown = searchParams.get("instance") === "fixture";
      const send = (document) => {
        ++answers;
        response.writeHead(200, { ...headers, ...own, "Content-Type": "application/json" });
        response.end(JSON.stringify(document));
      };
      if (!isKnown) return send(cluster.whole());
      if (period === 0) return; // it waits for ever
      const timer = setTimeout(() => { cluster.change(); send(cluster.delta()); }, period);
      request.on("close", () => clearTimeout(timer));
      return;
    }
    const name = pathname === "/page/" ? "index.html" : pathname.slice("/page/".length);
    try {
      const bytes = readFileSync(join(bundle, name));
      response.writeHead(200, { ...headers, "Content-Type": kTypes[name.slice(name.lastIndexOf(".") + 1)] });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.unref(); // a test that fails leaves it behind
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({
    url: `http://127.0.0.1:${server.address().port}/page/`, answers: () => answers,
    close: () => { server.closeAllConnections(); server.close(); },
  })));
}
