import type { FileContent } from '../../../actors/network/port.ts';
import type { RowFacts } from '../../../http/core/engine.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { until } from '../../faults/processes.ts';
import type { Ground } from '../ground.ts';
import { formOf, type HostileFile, hostileBodies, hostileDocuments, hostileLists, hostileMedia } from '../inputs/files.ts';
import type { Case } from '../judge.ts';
import { SECRETS, type Tenant } from '../subject.ts';

const READ_WITHIN_MS = 120_000;
const STORED_MS = 200;
const NETWORK_LIMIT = 700_000;

export function* fileCases(rows: readonly RowFacts[], known: Readonly<Record<string, string>>): Generator<Case> {
  for (const one of hostileDocuments()) yield uploaded('document', one, '/v1/ai-reply/documents', isRead);
  for (const one of hostileLists()) yield uploaded('contacts', one, '/v1/contacts/import', isImported);
  for (const one of hostileMedia()) {
    yield sentFile(one);
    yield received(one);
  }
  for (const row of rows) if (row.bytes) for (const body of hostileBodies()) yield sentBytes(row, known, body);
}

/** Each file gets a tenant of its own, because the cost of a tenant's files is limited. */
let tenants = 0;

type IsDone = (ground: Ground, tenant: Tenant, id: string) => Promise<boolean>;

const uploaded = (kind: string, one: HostileFile, path: string, isDone: IsDone): Case => ({
  kinds: [kind],
  isSlow: true,
  title: `${kind} ${one.name}: ${one.title}`,
  get bytes() {
    return one.size;
  },
  async attack(ground) {
    tenants += 1;
    const tenant = await ground.subject.signUp(
      `6284${String(systemClock.now() % 1e6).padStart(6, '0')}${String(tenants).padStart(3, '0')}`,
    );
    const { type, body } = formOf(one.name, one.make());
    const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': type };
    const answer = await ground.subject.send({ method: 'POST', path, body, headers });
    const id = /"id":"([^"]+)"/.exec(answer.body)?.[1];
    if (id !== undefined) await until(READ_WITHIN_MS, () => isDone(ground, tenant, id));
  },
});

const isRead: IsDone = async ({ subject }, tenant, id) => {
  const { status } = (await subject.asTenant(tenant)('GET', `/v1/ai-reply/documents/${id}`)).body;
  return status === 'ready' || status === 'failed';
};

const isImported: IsDone = async ({ subject }, tenant, id) => {
  const { status } = (await subject.asTenant(tenant)('GET', `/v1/contacts/imports/${id}`)).body;
  return status === 'done' || status === 'failed';
};

const sentFile = (one: HostileFile): Case => ({
  kinds: ['media'],
  title: `media ${one.name}: ${one.title}`,
  get bytes() {
    return one.size;
  },
  attack: ({ subject, tenant }) => {
    const { type, body } = formOf(one.name, one.make());
    const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': type };
    return subject.send({ method: 'POST', path: '/v1/media/upload', body, headers });
  },
});

const received = (one: HostileFile): Case => ({
  kinds: ['received file'],
  title: `received ${one.name}: ${one.title}`,
  get bytes() {
    return one.size;
  },
  async attack({ subject, device }) {
    const part = one.make().subarray(0, NETWORK_LIMIT);
    const content: FileContent = {
      type: 'document',
      file: { contentType: 'application/octet-stream', filename: one.name, size: part.length, sha256: '' },
      caption: null,
      voiceNote: false,
    };
    subject.network.sandbox.phone('6281211110002').write({ to: device.phone, content, attachment: { base64: part.toString('base64') } });
    await pause(systemClock, STORED_MS);
  },
});

type Body = ReturnType<typeof hostileBodies>[number];

const sentBytes = ({ id, method, path }: RowFacts, known: Readonly<Record<string, string>>, { title, type, body }: Body): Case => ({
  kinds: [`${id} bytes`],
  title: `${method} ${id}: ${type.slice(0, 30)}, ${title}`,
  bytes: body.length,
  attack: ({ subject, tenant }) =>
    subject.send({
      method,
      path: path.replace(/\{(\w+)[^}]*\}/g, (_whole, name: string) => known[name] ?? 'x'),
      body,
      headers: { authorization: `Bearer ${tenant.token}`, 'x-admin-secret': SECRETS.admin, 'content-type': type },
    }),
});
