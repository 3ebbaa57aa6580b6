// Watches a job on the page of a berthd that runs beside a real control plane: it waits, and then runs.
// For tests/e2e/page_browser_test.go, which changes the cluster meanwhile.
// usage: node beside.mjs URL NAMESPACE/JOB
import assert from "node:assert/strict";
import { launch, open, show } from "./support.mjs";

const [url, job] = process.argv.slice(2);
const browser = await launch();
try {
  const { page, close } = await open(browser, `${url}#/jobs?job=${job}`);
  const row = page.locator("tr", { hasText: job });
  const panel = page.getByRole("complementary", { name: `Job ${job}` });
  await row.getByText("waiting", { exact: true }).waitFor();
  await panel.getByText("Why it waits").waitFor();
  assert.match(await panel.innerText(), /larger_than_cluster|gang_incomplete/);
  console.log("waits");
  await row.getByText("running", { exact: true }).waitFor();
  await panel.getByText("running", { exact: true }).first().waitFor();
  console.log("runs");
  for (const [view, words] of [["cluster", "4 nodes"], ["queues", "default"], ["reservations", "No nodes are kept"],
    ["sessions", "allocate"], ["whatif", "berth when"]]) {
    await show(page, `#/${view}`);
    await page.getByText(words).first().waitFor();
  }
  await page.getByText("live", { exact: true }).waitFor();
  await close();
  console.log("without a fault");
} finally {
  await browser.close();
}
