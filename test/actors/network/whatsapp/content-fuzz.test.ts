import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inboundRow } from '../../../../actors/device/behaviour/inbound-row.ts';
import type { KeptEvent } from '../../../../actors/network/port.ts';
import type { Reader } from '../../../../actors/network/whatsapp/inbound/events.ts';
import { eventIn, unreadIn } from '../../../../actors/network/whatsapp/inbound/understand.ts';
import { type Library, loadLibrary, type WAMessage } from '../../../../actors/network/whatsapp/library.ts';
import { eventsOf } from '../../../../actors/services/events/message-events.ts';
import { EVENT_FACTS } from '../../../../http/areas/events/catalogue.ts';
import { FullMessageSchema, toFullMessage } from '../../../../http/areas/messages/schemas.ts';
import { asError } from '../../../../runtime/errors.ts';
import { newId } from '../../../../runtime/ids.ts';
import { safeTexts } from '../../../../runtime/safe-text.ts';
import { MAX_TURN_MS } from '../../../../scripts/guard/judge.ts';
import { threadCpuMs } from '../../../../scripts/guard/turn-meter.ts';
import { readDefinition } from '../../../network-peer/grammar/definition.ts';
import { definitionText, hasGrammar } from '../../../network-peer/grammar/files.ts';
import { type Generated, Generator } from '../../../network-peer/grammar/generated.ts';
import { sealedMessage } from '../../../network-peer/people/sealed.ts';
import { SeededRandom } from '../../../network-peer/random.ts';

/**
 * Every message that the web client's definition allows, made at random, becomes a stored message that callers and webhooks can be shown, a
 * change of another message, or is counted by name. It never throws, and costs no turn more than the stall guard lets it. CONTENT_MESSAGES says how
 * many are made, CONTENT_SEED which.
 */

const COUNT = Number(process.env['CONTENT_MESSAGES'] ?? 1_700);
const SEED = Number(process.env['CONTENT_SEED'] ?? 1);
const WHY = 'the files of the grammar do not lie beside this repository';
if (!hasGrammar()) console.log(`${WHY}: no message is made from it.`);

const [ANNA, GROUP, LIST] = ['6281100000002@s.whatsapp.net', '120363025246125888@g.us', '1700@broadcast'];
const ANNA_LID = '777000000002@lid';
const AT = 1_800_000_000;

const SAID: readonly ((nth: number) => WAMessage['key'])[] = [
  (nth) => ({ id: `F${nth}`, remoteJid: ANNA, remoteJidAlt: ANNA_LID, fromMe: false }),
  (nth) => ({ id: `F${nth}`, remoteJid: GROUP, participant: ANNA_LID, participantAlt: ANNA, fromMe: false }),
  (nth) => ({ id: `F${nth}`, remoteJid: ANNA, fromMe: true }),
  (nth) => ({ id: `F${nth}`, remoteJid: LIST, participant: ANNA, fromMe: false }),
];

/**
 * Fields of which nothing is made, and nobody misses it: keys (2, 15), an address book (11), what clients tell each other (12, 35, 47, 80), votes on
 * polls that are not ours (50), pins and the like (51, 63, 65), containers of albums (83).
 */
const RIGHTLY_NOTHING: ReadonlySet<number> = new Set([2, 11, 12, 15, 35, 47, 50, 51, 63, 65, 80, 83]);
/** Wrappers of covers of events, mentions of statuses, and pictures of a poll's options. */
const SHOW_NOTHING: ReadonlySet<number> = new Set([85, 87, 90, 92]);

/** As the library hands it over. */
function arrived(library: Library, { bytes }: Generated, nth: number): WAMessage {
  const decoded = library.proto.Message.decode(bytes);
  const key = SAID[nth % SAID.length]?.(nth) ?? {};
  return { key, message: decoded.deviceSentMessage?.message ?? decoded, messageTimestamp: AT, pushName: 'Anna' };
}

/** One in this many messages is an edit that is sealed with the secret of another message. */
const SEALED = 16;
const SECRET = Buffer.alloc(32, 7);
const RANDOM = new SeededRandom(SEED);

/** The same as an edit of Anna's. */
function sealed({ proto }: Library, made: Generated, nth: number): Generated {
  const what = { key: { id: `of F${nth}`, remoteJid: ANNA, fromMe: true }, author: ANNA, maker: ANNA_LID, secret: SECRET };
  const bytes = Buffer.from(proto.Message.encode(sealedMessage(what, made.bytes, RANDOM)).finish());
  return { bytes, inner: bytes, wrappers: [], fields: [82] };
}

/** Every byte of the padding is its length. */
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from([2, 2])]);

const ASIDE = { sentBy: null, waiting: null, lang: 'en' } as const;
const DATA = new Map(EVENT_FACTS.map(({ type, data }) => [type, data]));

/** As the device stores it, callers are shown it, and webhooks get it. */
function assertShown(event: Extract<KeptEvent, { message: unknown }>, sessionId: string): void {
  const owner = { tenantId: 'tenant', sessionId, epoch: 1 };
  const message = safeTexts(event.message);
  const place = { chat: message.chat, from: message.from, lid: null };
  const row = inboundRow(sessionId, owner, message, place, AT * 1_000);
  const shown = JSON.parse(JSON.stringify(toFullMessage(row, ASIDE)));
  assert.equal(FullMessageSchema.validate(shown, { convert: false }).error?.message, undefined);
  for (const { type, data } of eventsOf(row, AT * 1_000)) {
    const said = JSON.parse(JSON.stringify(data));
    assert.equal(DATA.get(type)?.validate(said, { convert: false }).error?.message, undefined, type);
  }
}

/** What became of it. */
async function outcomeOf(reader: Reader, made: Generated, nth: number, sessionId: string): Promise<string> {
  const message = arrived(reader.library, made, nth);
  const event = await eventIn(reader, message, made.bytes);
  if (event && 'message' in event) assertShown(event, sessionId);
  if (event) return event.type;
  if (unreadIn(reader, message, padded(made.bytes)).length > 0) return 'counted';
  const isEdit = made.fields.includes(12) && reader.library.proto.Message.decode(made.inner).protocolMessage?.type === 14;
  const isNothing = made.fields.every((field) => RIGHTLY_NOTHING.has(field)) && !isEdit;
  assert.ok(isNothing || made.wrappers.some((field) => SHOW_NOTHING.has(field)), 'it vanished');
  return 'nothing';
}

/** The least of three tries: what happens beside a message is not its own. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > MAX_TURN_MS; tries += 1) {
    const before = threadCpuMs();
    await work();
    least = Math.min(least, threadCpuMs() - before);
  }
  return least;
}

describe("random content generated from the web client's grammar", { skip: !hasGrammar() && WHY }, () => {
  it('is stored, applied or counted without errors, stalls or losses', async (t) => {
    const library = await loadLibrary();
    const me = { id: '6281100000001:7@s.whatsapp.net', lid: '777000000001:7@lid' };
    const creds = { ...library.initAuthCreds(), me, account: {} };
    const secrets = [{ secret: SECRET.toString('base64'), authors: [ANNA] }];
    const reader: Reader = { library, creds, findSent: async () => null, secretsOf: async () => secrets };
    const generator = new Generator(readDefinition(definitionText()), SEED);
    const sessionId = newId(AT);
    const outcomes = new Map<string, number>();
    const wrong = new Map<string, string>();
    for (let nth = 0; nth < COUNT; nth += 1) {
      const drawn = generator.message(nth);
      const made = nth % SEALED === 0 ? sealed(library, drawn, nth) : drawn;
      const note = (what: string): void =>
        void wrong.set(what, `${wrong.get(what) ?? ''} ${nth}(${[...made.wrappers, ':', ...made.fields]})`.slice(0, 300));
      const cpuMs = await cpuOf(async () => {
        try {
          const outcome = await outcomeOf(reader, made, nth, sessionId);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        } catch (cause) {
          note(asError(cause).message);
        }
      });
      if (cpuMs > MAX_TURN_MS) note(`took ${Math.round(cpuMs)} ms, with ${made.bytes.length} bytes`);
    }
    t.diagnostic(`${COUNT} messages of ${generator.all} fields: ${JSON.stringify(Object.fromEntries(outcomes))}`);
    assert.deepEqual([...wrong], []);
    for (const outcome of ['received', 'wrote', 'reaction', 'edited', 'deleted', 'counted', 'nothing'])
      assert.ok(outcomes.has(outcome), outcome);
  });
});
