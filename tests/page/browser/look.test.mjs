// A large cluster, by the fixture: looks, names that want to do harm, sizes. With BERTH_PAGE_SHOTS, a
// directory, each view is photographed.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LargeCluster, kHidden, serve } from "./fixture.mjs";
import { axeSource, bundle, launch, open, show, test } from "./support.mjs";

const kViews = ["cluster", "jobs", "queues", "reservations", "sessions", "whatif"];
const shots = process.env.BERTH_PAGE_SHOTS;

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

async function photograph(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.waitForFunction(() => document.fonts.ready.then(() => true));
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

// The faults that axe calls serious or critical.
async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
}

// The texts beside hostile names that do not stand from left to right, or not in their order. In the page.
function turned() {
  const found = [];
  const box = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    const boxes = [...range.getClientRects()].filter((each) => each.width > 0);
    return boxes.length > 0 && boxes.every((each) => Math.abs(each.top - boxes[0].top) < 3) ? range.getBoundingClientRect() : undefined;
  };
  const blockOf = (element) => (getComputedStyle(element).display === "inline" ? blockOf(element.parentElement) : element);
  const walker = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
  let before;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.textContent;
    if (text.trim().length < 2 || node.parentElement.closest(".visually-hidden, select, datalist, svg")) continue;
    // Of a text with such a name in it, what follows.
    const begin = text.includes("\u202e") ? text.lastIndexOf("xx") + 2 : text.search(/\S/);
    const end = text.trimEnd().length;
    if (end - begin > 1) {
      const [first, last] = [box(node, begin, begin + 1), box(node, end - 1, end)];
      if (first && last && Math.abs(first.top - last.top) < 3 && first.left >= last.left) found.push(text);
    }
    const here = { block: blockOf(node.parentElement), box: box(node, 0, text.length), text };
    const isBeside = before?.block === here.block && before.box && here.box && Math.abs(before.box.top - here.box.top) < 3;
    if (isBeside && here.box.left < before.box.left) found.push(`${before.text} | ${text}`);
    before = here;
  }
  return found.map((each) => each.replace(/x{9,}/g, "x…"));
}

describe("looks", () => {
  let server;
  before(async () => { server = await serve(new LargeCluster({ nodes: 400, pods: 1600, waiting: 60 }), bundle); });
  after(() => server.close());

  for (const [name, colorScheme, width, height] of [
    ["light", "light", 1360, 850], ["dark", "dark", 1360, 850], ["narrow", "light", 390, 800],
  ]) {
    test(`each view is accessible: ${name}`, async () => {
      const { page, close } = await open(browser, server.url);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      for (const view of kViews) {
        await show(page, `#/${view}`);
        await photograph(page, `${view}-${name}`);
        assert.deepEqual(await axe(page), [], `${view}, ${name}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${view}, ${name}: ${overflow} pixels too wide`);
      }
      const job = await page.evaluate(() => location.hash);
      assert.equal(job, "#/whatif");
      await show(page, "#/jobs?state=waiting");
      await page.locator("tbody tr:not(.space)").first().click();
      await page.getByRole("complementary").waitFor();
      await photograph(page, `job-${name}`);
      assert.deepEqual(await axe(page), [], `panel, ${name}`);
      await close();
    });
  }

  test("times are in the zone of the viewer", async () => {
    const { page, close } = await open(browser, server.url);
    const session = await browser.context.newCDPSession(page);
    await session.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kolkata" });
    await page.reload();
    await show(page, "#/jobs?state=waiting");
    const first = page.locator("tbody time").first();
    const at = new Date(await first.getAttribute("datetime"));
    const wanted = at.toLocaleTimeString("en-GB", { timeZone: "Asia/Kolkata", hour: "2-digit", minute: "2-digit" });
    assert.ok((await first.innerText()).endsWith(wanted), `${await first.innerText()}, not ${wanted}`);
    await close();
  });
});

describe("time", () => {
  test("PAGE-21: ages go on between answers", async () => {
    const cluster = new LargeCluster({ nodes: 20, pods: 80, waiting: 4 });
    cluster.jobs.get(cluster.order()[0]).since = cluster.now - 2;
    const server = await serve(cluster, bundle);
    const { page, close } = await open(browser, `${server.url}#/cluster`);
    const age = page.getByRole("region", { name: "Next in line" }).locator(".number").first();
    const first = Number.parseInt(await age.innerText(), 10);
    await page.waitForFunction((least) => Number.parseInt(document.querySelector(".next .number").textContent, 10) > least, first + 1);
    assert.equal(server.answers(), 1);
    await close();
    server.close();
  });

  test("PAGE-20: berthd answers, and its state is old", async () => {
    const own = { Age: "40" };
    const server = await serve(new LargeCluster({ nodes: 20, pods: 80, waiting: 60 }), bundle, 400, own);
    const { page, close } = await open(browser, `${server.url}#/cluster`);
    await page.locator(".live.stale").waitFor();
    await page.getByRole("alert").getByText("berthd answers, but").waitFor();
    own.Age = "2";
    await page.locator(".live.live").waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await close();
    server.close();
  });
});

describe("commands", () => {
  test("PAGE-16: through `berth page` they ask by the kubeconfig", async () => {
    const server = await serve(new LargeCluster({ nodes: 20, pods: 80, waiting: 4 }), bundle, 0, { "Berth-Forwarded": "berth page" });
    const { page, close } = await open(browser, `${server.url}#/whatif?job=ns-1/train-1`);
    const command = page.locator(".command code");
    assert.equal(await command.innerText(), "kubectl berth when --job ns-1/train-1 --by +8h -o table");
    await close();
    server.close();
  });
});

describe("names that want to do harm", () => {
  test("PAGE-11: they are text", async () => {
    const harm = (text) => `${text}<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>" onmouseover="window.harmed=1`;
    const server = await serve(new LargeCluster({ nodes: 60, pods: 240, waiting: 20, queues: 5, names: harm }), bundle);
    const { page, close } = await open(browser, server.url);
    for (const view of kViews) {
      await show(page, `#/${view}`);
      await page.mouse.move(300, 400);
      const found = await page.evaluate(() => ({
        harmed: window.harmed, elements: document.querySelectorAll("img, script:not([src]), [onmouseover]").length,
      }));
      assert.deepEqual(found, { harmed: undefined, elements: 0 }, view);
    }
    await show(page, "#/jobs?state=waiting");
    await page.locator("tbody tr:not(.space)").first().click();
    assert.match(await page.getByRole("complementary").innerText(), /<script>window.harmed=1<\/script>/);
    // A command for a shell has the name in quotes.
    assert.match(await page.locator(".command code").first().innerText(), /-n ns-\d+ 'train-\d+<img/);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    await close();
    server.close();
  });

  for (const [name, width] of [["wide", 1360], ["narrow", 390]]) {
    test(`PAGE-11: long ones, and such as turn the direction of text: ${name}`, async () => {
      const harm = (text) => `${text}\u202e${"x".repeat(250)}`;
      const server = await serve(new LargeCluster({ nodes: 60, pods: 240, waiting: 20, queues: 5, names: harm }), bundle);
      const { page, close } = await open(browser, server.url);
      await page.setViewportSize({ width, height: 800 });
      const look = async (where) => {
        assert.deepEqual(await page.evaluate(turned), [], `${where}: text that stands in another order`);
        const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll("main, .panel, .card")]
          .filter((each) => each.scrollWidth > each.clientWidth).map((each) => `${each.tagName} ${each.scrollWidth} ${each.clientWidth}`));
        assert.deepEqual(wide, [], `${where}: too wide`);
      };
      for (const view of kViews) {
        await show(page, `#/${view}`);
        await look(view);
      }
      await show(page, "#/cluster?as=table");
      await look("table of nodes");
      await show(page, "#/cluster");
      await page.getByRole("application").focus();
      for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
      await page.locator(".tip").waitFor();
      await look("tip");
      await page.keyboard.press("Enter");
      await page.getByRole("complementary", { name: "Node" }).waitFor();
      await look("node");
      await show(page, "#/jobs?state=waiting");
      await page.locator("tbody tr:not(.space)").nth(1).click();
      await page.getByRole("complementary", { name: "Job" }).waitFor();
      await look("job");
      await close();
      server.close();
    });
  }
});

describe("names that a bearer may not see", () => {
  test("PAGE-14: each view without names", async () => {
    const cluster = new LargeCluster({ nodes: 100, pods: 400, waiting: 40 });
    cluster.hide(/^ns-(?!7\/)/);
    const seen = [...cluster.jobs.values()].filter((job) => job.name !== kHidden && job.more.reason);
    assert.ok(seen.length > 0);
    const server = await serve(cluster, bundle);
    const { page, close } = await open(browser, server.url);
    for (const view of kViews) {
      await show(page, `#/${view}`);
      assert.deepEqual(await axe(page), [], view);
      const text = await page.evaluate(() => document.body.innerText + document.body.innerHTML);
      assert.doesNotMatch(text, /ns-(?!7\/)\d+\//, view);
      // Nothing leads to a job without a name.
      assert.equal(await page.getByRole("button", { name: kHidden }).count(), 0, view);
    }
    // Its number, its place and its queue are there.
    await show(page, "#/jobs?state=waiting");
    const rows = page.locator("tbody tr:not(.space)");
    const row = rows.filter({ hasText: kHidden }).first();
    assert.match(await row.innerText(), /waiting.*team-\d+/s);
    await row.click();
    assert.equal(await page.getByRole("complementary").count(), 0);
    assert.ok(await rows.count() > seen.length);
    await rows.filter({ hasText: seen[0].name }).click();
    const panel = page.getByRole("complementary", { name: `Job ${seen[0].name}` });
    await panel.getByText("members could be placed").waitFor();
    await panel.getByText(kHidden).first().waitFor(); // before it
    await show(page, "#/whatif");
    const options = await page.locator("select option").allInnerTexts();
    assert.ok(!options.includes(kHidden) && options.includes(seen[0].name));
    await show(page, "#/cluster?as=table");
    await page.getByRole("region", { name: "Table of nodes" }).getByText(kHidden).first().waitFor();
    await close();
    server.close();
  });

  test("PAGE-14: a target's own pods are none that it waits for", async () => {
    const cluster = new LargeCluster({ nodes: 100, pods: 400, waiting: 10 });
    const [target] = cluster.order();
    const [first, ...rest] = cluster.keptNodes();
    first.groups = [[target, 0, 2, 16000, 0, 2], [0, 0, 1, 8000, 0, 1]];
    for (const node of rest) node.groups = [[target, 0, 1, 8000, 0, 1]];
    cluster.hide(/^ns-/);
    const server = await serve(cluster, bundle);
    const { page, close } = await open(browser, `${server.url}#/reservations`);
    assert.deepEqual(await page.locator(".ends .who").allInnerTexts(), [`${kHidden} 1 pod on 1 node`]);
    await close();
    server.close();
  });
});

describe("5,000 nodes and 20,000 pods", () => {
  test("a change redraws the tiles that it is about", async (context) => {
    const cluster = new LargeCluster();
    const server = await serve(cluster, bundle, 300);
    const { page, close } = await open(browser, server.url);
    await page.getByText("5,000 nodes").waitFor();
    await page.waitForFunction(() => performance.getEntriesByName("berth-tiles-some").length >= 3);
    const times = await page.evaluate(() => {
      const of = (name) => performance.getEntriesByName(name).map((entry) => entry.duration);
      const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
      const paint = performance.getEntriesByName("first-contentful-paint")[0];
      return { all: median(of("berth-tiles-all")), some: median(of("berth-tiles-some")), anew: of("berth-tiles-all").length, paint: paint?.startTime };
    });
    context.diagnostic(`all tiles ${times.all.toFixed(1)} ms, changed tiles ${times.some.toFixed(1)} ms`);
    assert.ok(times.anew <= 3, `all tiles were drawn ${times.anew} times`);
    // Frames while the mouse moves over the tiles.
    const box = await page.getByRole("application").boundingBox();
    await page.evaluate(() => {
      window.frames = [];
      let last = performance.now();
      const look = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(look); };
      requestAnimationFrame(look);
    });
    for (let i = 0; i < 60; ++i) await page.mouse.move(box.x + 20 + i * 15, box.y + 20 + i * 5);
    const frames = await page.evaluate(() => window.frames.slice(2).sort((a, b) => a - b));
    context.diagnostic(`frames while the mouse moves: median ${frames[Math.floor(frames.length / 2)].toFixed(1)} ms, 95 % within ${frames[Math.floor(frames.length * 0.95)].toFixed(1)} ms`);
    await photograph(page, "cluster-large");
    await page.getByRole("button", { name: "Table" }).click();
    const rows = await page.locator(".long-table tbody tr").count();
    assert.ok(rows < 100, `${rows} rows are in the table`);
    await close();
    server.close();
  });
});
