import { newId } from '../../../runtime/ids.ts';
import { present } from '../../../runtime/invariant.ts';
import { type ChatRow, chatKey, chatsSpec } from '../../../store/conversations/chats.ts';
import { aBusiness, type Business, percentile } from './business.ts';

const CUSTOMER = '6281211110001';
const TOGETHER = 1_000;
const FRAMES = 240;

/** In the page: the lengths of the frames while `step` is done in each. */
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

/** Scrolls until no more chats come: the page asks for older ones as one nears the end. */
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

const FLICK = `() => { document.querySelector('[data-testid="chat-list"]').scrollTop += 120; }`;

/** One chat as it came, and as many like it as there are to be. */
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

const [what, chats] = [process.argv[2], Number(process.argv[3])];
const business = await aBusiness();
const { page, node } = business;
let rows = 0;
if (what === 'empty') {
  await page.goto(`${node.url}/console/nothing-here`);
  await page.getByTestId('not-found').waitFor();
} else {
  await page.goto(`${node.url}/console/inbox`);
  await plantChats(business, chats);
  await page.reload();
  const row = page.getByTestId('chat-row');
  await row.first().waitFor();
  const height = (await row.first().boundingBox())?.height ?? 0;
  await page.evaluate(`(${LOAD_ALL})(${chats}, ${height})`);
  await page.evaluate(`document.querySelector('[data-testid="chat-list"]').scrollTop = 0`);
}
const step = what === 'empty' ? '() => {}' : FLICK;
const lengths = await page.evaluate<number[]>(`(${FRAME_LENGTHS})(${FRAMES}, ${step})`);
if (what !== 'empty') rows = await page.getByTestId('chat-row').count();
await business.end();
console.log(JSON.stringify({ frameP50: percentile(lengths, 0.5), frameP95: percentile(lengths, 0.95), rows }));
