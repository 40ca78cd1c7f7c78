import type { Page } from 'playwright-core';
import { newId } from '../../../runtime/ids.ts';
import { present } from '../../../runtime/invariant.ts';
import { type ChatRow, chatKey, chatsSpec } from '../../../store/conversations/chats.ts';
import { aBusiness, type Business, percentile } from './business.ts';
import { cpuOfFrames } from './frames.ts';

const CUSTOMER = '6281211110001';
const TOGETHER = 1_000;
const FRAMES = 120;
const TURNS = 6;

const FRAME_LENGTHS = `(frames, step) => new Promise((resolve) => {
  const lengths = [];
  let before = null;
  const next = (now) => {
    if (before !== null) lengths.push(now - before);
    before = now;
    if (lengths.length === frames) return resolve(lengths);
    step();
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/** Scrolls to the end repeatedly, because the page loads older chats only near the end of the list. */
const LOAD_ALL = `(count, rowHeight) => new Promise((resolve, reject) => {
  const list = document.querySelector('[data-testid="chat-list"]');
  let [height, idle] = [0, 0];
  const down = () => {
    list.scrollTop = list.scrollHeight;
    if (list.scrollHeight >= count * rowHeight) return resolve();
    idle = list.scrollHeight === height ? idle + 1 : 0;
    height = list.scrollHeight;
    if (idle > 200) return reject(new Error('no more chats came at ' + Math.round(height / rowHeight)));
    setTimeout(down, 50);
  };
  down();
})`;

const SCROLL_TO = `(share) => {
  const list = document.querySelector('[data-testid="chat-list"]');
  list.scrollTop = share * list.scrollHeight;
}`;

const FLICK = `() => { document.querySelector('[data-testid="chat-list"]').scrollTop += 120; }`;

async function plantChats({ store, sessionId, write, page }: Business, count: number): Promise<void> {
  await write(CUSTOMER, 'Hello');
  await page.getByTestId('chat-row').first().waitFor();
  const rows = store.collection<ChatRow>(chatsSpec);
  const known = present(await rows.findOne({ session_id: sessionId }), 'the chat of the customer');
  for (let from = 1; from < count; from += TOGETHER)
    await rows.insertMany(Array.from({ length: Math.min(TOGETHER, count - from) }, (_one, nth) => likeIt(known, from + nth)));
}

function likeIt(known: ChatRow, nth: number): ChatRow {
  const address = `62813${String(nth).padStart(8, '0')}@s.whatsapp.net`;
  const at = known.last_message_at - nth;
  return { ...known, _id: chatKey(known.session_id, address), id: newId(at), chat_id: address, last_message_at: at };
}

interface Scene {
  readonly page: Page;
  readonly step: string;
  readonly lengths: number[];
  readonly cpu: number[];
}

async function watch({ page, step, lengths, cpu }: Scene): Promise<void> {
  await page.bringToFront();
  const browser = present(page.context().browser(), 'the browser');
  const frames = `(${FRAME_LENGTHS})(${FRAMES}, ${step})`;
  lengths.push(...(await page.evaluate<number[]>(frames)));
  // Traces a second run, because tracing would slow down the run whose frame lengths are measured.
  await browser.startTracing(page, { categories: ['toplevel', 'cc'] });
  await page.evaluate(frames);
  cpu.push(...cpuOfFrames((await browser.stopTracing()).toString()));
}

const chats = Number(process.argv[2]);
const business = await aBusiness();
const { page, node } = business;
await page.goto(`${node.url}/console/inbox`);
await plantChats(business, chats);
await page.reload();
const row = page.getByTestId('chat-row');
await row.first().waitFor();
const height = (await row.first().boundingBox())?.height ?? 0;
await page.evaluate(`(${LOAD_ALL})(${chats}, ${height})`);
const nothing = await page.context().newPage();
await nothing.goto(`${node.url}/console/nothing-here`);
await nothing.getByTestId('not-found').waitFor();

const inbox: Scene = { page, step: FLICK, lengths: [], cpu: [] };
const empty: Scene = { page: nothing, step: '() => {}', lengths: [], cpu: [] };
for (let turn = 0; turn < TURNS; turn += 1) {
  await page.evaluate(`(${SCROLL_TO})(${turn / TURNS})`);
  await watch(empty);
  await watch(inbox);
}
const rows = await row.count();
await business.end();
const [frameP95, emptyP95] = [percentile(inbox.lengths, 0.95), percentile(empty.lengths, 0.95)];
const [frameCpu, emptyCpu] = [percentile(inbox.cpu, 0.95), percentile(empty.cpu, 0.95)];
console.log(JSON.stringify({ frameP95, emptyP95, times: frameP95 / emptyP95, frameCpu, emptyCpu, rows }));
