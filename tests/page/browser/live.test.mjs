// The page of a running berthd.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { Berthd, gang, launch, nodes, open, show, test } from "./support.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

describe("a cluster that changes", () => {
  test("a gang waits, and starts while the page is open", async () => {
    const berthd = await Berthd.start(nodes(2) + gang("first", 2) + gang("second", 4));
    await berthd.says(/(job ml\/second waits)/);
    const { page, close } = await open(browser, `${berthd.url}#/jobs`);
    const row = page.locator("tr", { hasText: "ml/second" });
    await row.getByText("waiting", { exact: true }).waitFor();
    assert.match(await row.innerText(), /of 4 members could be placed/);
    await row.click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Why it waits").waitFor();
    assert.match(await panel.innerText(), /insufficient cpu/);
    // The first job is deleted, and there is room.
    berthd.write(nodes(2) + gang("second", 4));
    await row.getByText("running", { exact: true }).waitFor();
    await panel.getByText("running", { exact: true }).first().waitFor();
    await page.getByText("ml/first").waitFor({ state: "detached" });
    await close();
    await berthd.close();
  });

  test("PAGE-2: it goes on after a restart of berthd", async () => {
    const berthd = await Berthd.start(nodes(2) + gang("first", 2));
    const { page, faults } = await open(browser, `${berthd.url}#/jobs`);
    await page.getByText("ml/first").waitFor();
    await berthd.end();
    await page.locator(".live.stale").waitFor();
    await page.getByRole("alert").getByText("does not answer").waitFor();
    assert.equal(await page.getByText("ml/first").isVisible(), true, "it still shows what it had");
    const again = await Berthd.start(nodes(3) + gang("other", 2), { port: berthd.port, directory: berthd.directory });
    await page.getByText("ml/other").waitFor();
    await page.locator(".live.live").waitFor();
    await page.getByText("ml/first").waitFor({ state: "detached" });
    await page.getByText("3 nodes, 1 job").waitFor();
    // Requests to a server that is not there are in the console, and nothing else.
    assert.deepEqual(faults.filter((fault) => !/ERR_CONNECTION|ERR_EMPTY_RESPONSE|status of 503/.test(fault)), []);
    await page.close();
    await again.close();
  });

  test("PAGE-3: an idle page costs a request a second at most", async () => {
    const berthd = await Berthd.start(nodes(1), { config: "schedulePeriod: 1h\n" });
    const { page, close } = await open(browser, berthd.url);
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const answer = await page.waitForResponse((response) => response.url().includes("after="));
    assert.equal((await answer.json()).whole, false);
    assert.ok(Number(answer.headers().age) <= 2, "PAGE-20: a quiet cluster is not stale");
    assert.equal(await page.locator(".live.live").count(), 1);
    assert.ok(asked.length <= 2, asked.join());
    await close();
    await berthd.close();
  });
});

describe("all views of berthd", () => {
  let berthd;
  before(async () => {
    berthd = await Berthd.start(nodes(4, (i) => `rack: r${i % 2}`) + gang("train", 3) + gang("large", 9),
      { config: "topology: {levels: [rack]}\n" });
    await berthd.says(/(job ml\/train is Running)/);
  });
  after(async () => { await berthd.close(); });

  test("each has its content, and nothing is in the console", async () => {
    const { page, close } = await open(browser, berthd.url);
    await page.getByText("4 nodes, 2 jobs").waitFor();
    assert.match(await page.locator(".summary").innerText(), /nodes\s+4/);
    await page.getByRole("application").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /n0, r0, .* cpu used/.test(document.querySelector("[aria-live]").textContent));
    // In the same turn of the browser's loop, the panel is there and has the keys.
    const takesKeys = page.evaluate(() => new Promise((resolve) => {
      const look = (_, observer) => {
        const panel = document.querySelector("aside.panel");
        if (panel === null) return;
        observer.disconnect();
        resolve(document.activeElement === panel);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    }));
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Node n0" }).waitFor();
    assert.equal(await takesKeys, true);
    assert.equal(new URL(page.url()).hash, "#/cluster?node=n0");
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Table" }).click();
    await page.getByRole("region", { name: "Table of nodes" }).getByText("ml/train").first().waitFor();
    await show(page, "#/queues");
    await page.getByRole("rowheader", { name: "default" }).waitFor();
    await show(page, "#/reservations");
    await page.getByText("No nodes are kept").waitFor();
    await show(page, "#/sessions");
    await page.getByRole("img", { name: /Time of a session.*allocate/ }).waitFor();
    await show(page, "#/whatif?job=ml/large");
    await page.getByText(`berth when --server ${new URL(berthd.url).origin} --job ml/large --by +8h -o table`).waitFor();
    await close();
  });

  test("an address leads to what it was copied from", async () => {
    const { page, close } = await open(browser, `${berthd.url}#/jobs?state=waiting&q=lar&job=ml/large`);
    await page.getByRole("complementary", { name: "Job ml/large" }).waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "lar");
    assert.equal(await page.getByText("ml/train").count(), 0);
    await close();
  });

  test("/ goes to the search, and the search filters", async () => {
    const { page, close } = await open(browser, `${berthd.url}#/jobs`);
    await page.getByText("ml/train").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("large");
    await page.getByText("ml/train").waitFor({ state: "detached" });
    assert.match(page.url(), /q=large/);
    await close();
  });

  test("colours follow the system, and the switch", async () => {
    const { page, close } = await open(browser, berthd.url);
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    const light = await back();
    await page.emulateMedia({ colorScheme: "dark" });
    assert.notEqual(await back(), light);
    await page.getByRole("button", { name: /Colours: system/ }).click();
    assert.equal(await back(), light, "light by choice");
    await page.reload();
    await page.getByRole("button", { name: /Colours: light/ }).click();
    await page.getByRole("button", { name: /Colours: dark/ }).click();
    await close();
  });

  test("PAGE-9, PAGE-10: its files are compressed, kept and protected", async () => {
    const { page, close } = await open(browser, berthd.url);
    const kept = await page.evaluate(async () => {
      const script = document.querySelector("script").src;
      const first = await fetch(script, { cache: "no-store" });
      const again = await fetch(script.split("?")[0], { headers: { "If-None-Match": first.headers.get("ETag") }, cache: "no-store" });
      return { policy: first.headers.get("Content-Security-Policy"), control: first.headers.get("Cache-Control"), status: again.status };
    });
    assert.match(kept.policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.match(kept.control, /immutable/);
    assert.equal(kept.status, 304);
    await close();
  });
});
