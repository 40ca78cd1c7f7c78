import { systemClock } from '../../runtime/clock.ts';
import { present } from '../../runtime/invariant.ts';
import { type Call, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import { dropDatabase } from '../faults/world.ts';
import { type Device, Subject, type SubjectOptions, type Tenant } from './subject.ts';

export interface Ground {
  readonly subject: Subject;
  readonly tenant: Tenant;
  readonly device: Device;
  /** Ids by path parameter, either alone or as `<endpoint id>.<parameter>`. */
  readonly known: Readonly<Record<string, string>>;
  api: Call;
  /** Gives up after half a minute, because a device whose login has ended never reconnects. */
  online(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const CUSTOMER = '6281211110001';
const READY_WITHIN_MS = 60_000;
const BACK_WITHIN_MS = 30_000;

export async function aGround(options: SubjectOptions): Promise<Ground> {
  const subject = await Subject.start(options);
  try {
    const tenant = await subject.signUp(OWNER);
    const api: Call = (...request) => subject.asTenant(tenant)(...request);
    const device = await subject.link(tenant, SHOP);
    const known = await filled(api, device);
    return {
      subject,
      tenant,
      device,
      known,
      api,
      async online() {
        await until(BACK_WITHIN_MS, async () => {
          const { status, reason } = (await api('GET', device.path)).body;
          // A device that was disconnected on request does not reconnect.
          return status !== 'disconnected' || reason === null;
        });
      },
      async revive() {
        await subject.restart();
        const isOnline = async () => (await api('GET', device.path)).body.status === 'connected';
        if (!(await until(READY_WITHIN_MS, isOnline))) throw new Error('the device did not come back');
        // Starts a new measurement, so that the cost of the start is not attributed to a case.
        await subject.begin(false);
      },
      async close() {
        await subject.close();
        // The next ground signs up the same owner.
        if (options.mongodbUrl) await dropDatabase(options.mongodbUrl);
      },
    };
  } catch (cause) {
    await subject.close();
    throw cause;
  }
}

const TEXT = { chat_id: CUSTOMER, type: 'text', body: 'Hi' };
const LATER = 365 * 86_400_000;

async function filled(api: Call, { id: session_id, path }: Device): Promise<Record<string, string>> {
  const scheduled_at = systemClock.now() + LATER;
  const records: readonly (readonly [ids: readonly string[], path: string, body: object])[] = [
    [['ruleId'], `${path}/auto-reply`, { name: 'price', trigger_type: 'contains', trigger_text: 'price', reply_body: 'It costs 5.' }],
    [[], `${path}/auto-reply`, { name: 'exact', trigger_type: 'keyword', trigger_text: 'harga', reply_body: 'Rp 5.000' }],
    [[], `${path}/auto-reply`, { name: 'pattern', trigger_type: 'regex', trigger_text: 'order #[0-9]{4}', reply_body: 'Found' }],
    [['changeScheduled.id', 'cancelScheduled.id'], `${path}/scheduled`, { ...TEXT, scheduled_at }],
    [['changeRecurring.id'], `${path}/recurring`, { name: 'daily', targets: [CUSTOMER], message: 'Hi', schedule_type: 'daily' }],
    [['changeTemplate.id', 'previewTemplate.id'], '/v1/templates', { name: 'hi', message_type: 'text', body: 'Hi {name}' }],
    [['changeContact.id'], '/v1/contacts', { phone: CUSTOMER }],
    [['changeSegment.id'], '/v1/segments', { name: 'VIP', rules: { all: [{ field: 'tag', op: 'is', value: 'vip' }] } }],
    [['changeBlast.id'], '/v1/blasts', { session_id, name: 'Sale', message_type: 'text', body: 'Hi' }],
    [[], '/v1/ai-reply/answers', { question: 'Jam berapa toko buka?', answer: 'Kami buka pukul 09.00–20.00 WIB.' }],
    [[], '/v1/ai-reply/answers', { question: 'Do you ship abroad?', answer: 'Yes, we ship to Singapore and Malaysia.' }],
  ];
  const known: Record<string, string> = { sessionId: session_id };
  for (const [ids, where, body] of records) {
    // Retries, because checking a pattern has a time limit, which a busy machine may exceed.
    const made = await until(READY_WITHIN_MS, async () => {
      const answer = await api('POST', where, body);
      return answer.body.code === 'UNSAFE_REGEX' ? null : answer;
    });
    const { id } = expected(present(made, 'an answer'), 201);
    for (const name of ids) known[name] = String(id);
  }
  expected(await api('PUT', '/v1/ai-reply', { enabled: true }), 200);
  const { id } = expected(await api('POST', `${path}/messages`, TEXT), 202);
  return { ...known, messageId: String(id) };
}
