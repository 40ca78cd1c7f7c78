import { readdirSync, readFileSync, statSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../../runtime/clock.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { expected } from '../caller.ts';
import { until } from '../processes.ts';
import { SHOP, World } from '../world.ts';

export interface ErasureRun {
  readonly kills: number;
  readonly mongodbUrl: string | null;
}

export interface ErasureVerdict {
  readonly people: number;
  readonly erased: number;
  readonly kills: number;
  /** Words that were not stored even before the erasure, so that searching for them proves nothing. */
  readonly missing: readonly string[];
  readonly left: readonly string[];
}

/** Much longer than a node's claim on a step, so that the next process takes over immediately. */
const LATER_MS = 10 * 60_000;
const KILLS_A_PERSON = 5;
const WRITES = 5;
const MONTH_MS = 30 * 86_400_000;
const READY_WITHIN_MS = 120_000;
const WORDS = ['nmpangolin', 'vrwombat', 'inquokka', 'capnarwhal', 'fnaxolotl', 'bytesibex', 'outtapir', 'schedkakapo', 'rcptdugong'];

interface Somebody {
  readonly phone: string;
  readonly words: readonly string[];
}

const somebody = (nth: number): Somebody => ({ phone: `62812444${4000 + nth}`, words: WORDS.map((word) => `${word}${nth}x`) });

export async function runErasures({ kills, mongodbUrl }: ErasureRun): Promise<ErasureVerdict> {
  const world = await World.open({ guard: 'on', mongodbUrl, victim: { name: 'erasure', env: {} } });
  try {
    const people = Array.from({ length: Math.ceil(kills / KILLS_A_PERSON) }, (_, nth) => somebody(nth));
    const needles = people.flatMap(({ phone, words }) => [phone, ...words]);
    for (const one of people) await lived(world, one);
    const { id } = expected(await world.api('POST', '/v1/privacy/exports', {}), 202);
    await ready('the export', async () => expected(await world.api('GET', `/v1/privacy/exports/${id}`), 200).status === 'done');
    for (const { phone } of people) expected(await world.api('POST', '/v1/privacy/erasures', { phone: `+${phone}`, confirm: true }), 202);
    await world.gateway.kill();
    const missing = await notIn(world, mongodbUrl, needles);
    const died = await killedUntilDone(world, kills);
    const { erased, found } = await leftIn(world, mongodbUrl, needles);
    return { people: people.length, erased, kills: died, missing, left: found };
  } finally {
    await world.close();
  }
}

async function ready(what: string, check: () => Promise<boolean>): Promise<void> {
  if (!(await until(READY_WITHIN_MS, check))) throw new Error(`${what} was not ready in time`);
}

async function killedUntilDone(world: World, kills: number): Promise<number> {
  for (let nth = 0; nth < kills; nth += 1) {
    const when = nth % 2 === 0 ? 'before' : 'after';
    world.startArmed(`${when}:${1 + (nth % WRITES)}:${(nth + 1) * LATER_MS}`);
    const { gateway } = world;
    const isDone = await Promise.race([gateway.done.then(() => true), gateway.ended.then(() => false)]);
    if (!isDone) continue;
    await gateway.kill();
    return nth;
  }
  world.startArmed(`never:0:${(kills + 1) * LATER_MS}`);
  const { gateway } = world;
  await gateway.done;
  await gateway.kill();
  return kills;
}

async function lived(world: World, { phone, words }: Somebody): Promise<void> {
  const [name, variable, said, caption, filename, bytes, answer, scheduled, recipient] = words;
  const post = async (path: string, body: object) => expected(await world.api('POST', path, body), 200, 201, 202);
  await post('/v1/contacts', { phone: `+${phone}`, name, var1: variable });
  const write = async (body: object) =>
    expected(await world.sandbox('POST', `/sandbox/phones/${phone}/messages`, { to: SHOP, ...body }), 201);
  await write({ body: said });
  const file = { base64: Buffer.from(bytes ?? '').toString('base64'), filename: `${filename}.txt` };
  await write({ type: 'document', caption, file });
  await ready('what she wrote', async () => {
    const { messages } = expected(await world.api('GET', `${world.path}/messages?direction=inbound&chat_id=${phone}`), 200);
    return messages.length >= 2;
  });
  await post(`${world.path}/messages`, { chat_id: phone, type: 'text', body: answer });
  await ready('the answer', async () => {
    const { messages } = expected(await world.api('GET', `${world.path}/messages?direction=outbound&chat_id=${phone}`), 200);
    return messages.every(({ status }: { status: string }) => status !== 'queued');
  });
  const scheduled_at = systemClock.now() + MONTH_MS;
  await post(`${world.path}/scheduled`, { chat_id: phone, type: 'text', body: scheduled, scheduled_at });
  const recipients = [{ phone: `+${phone}`, name: recipient }];
  await post('/v1/blasts', { session_id: world.path.split('/').at(-1), name: 'n', message_type: 'text', body: 'Hi', recipients });
}

const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => `${directory}/${name}`)
    .filter((path) => statSync(path).isFile());

async function leftIn(world: World, mongodbUrl: string | null, needles: readonly string[]) {
  let erased = 0;
  let documents = '';
  if (mongodbUrl) {
    const client = await MongoClient.connect(mongodbUrl);
    for (const { name } of await client.db().listCollections().toArray())
      documents += JSON.stringify(await client.db().collection(name).find({}).toArray());
    erased = await client.db().collection('privacy_erasures').countDocuments({ open: false });
    await client.close();
  } else {
    const store = openEmbedded({ path: `${world.directory}/gateway.db` });
    erased = await store.collection({ name: 'privacy_erasures', indexes: [] }).countDocuments({ open: false });
    await store.close();
  }
  const bytes = [Buffer.from(documents), ...filesUnder(world.directory).map((path) => readFileSync(path))];
  return { erased, found: needles.filter((needle) => bytes.some((one) => one.includes(needle))) };
}

async function notIn(world: World, mongodbUrl: string | null, needles: readonly string[]): Promise<readonly string[]> {
  const { found } = await leftIn(world, mongodbUrl, needles);
  return needles.filter((needle) => !found.includes(needle));
}
