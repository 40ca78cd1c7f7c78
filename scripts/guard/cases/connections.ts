import { connect, type Socket } from 'node:net';
import { userJid } from '../../../actors/network/jid.ts';
import type { RowFacts } from '../../../http/core/engine.ts';
import { parametersOf } from '../../../http/openapi/openapi.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { expected } from '../../faults/caller.ts';
import type { Ground } from '../ground.ts';
import type { Case } from '../judge.ts';
import { SECRETS } from '../subject.ts';

/** Number of messages with the longest text, whose characters take six bytes each in JSON. */
const MESSAGES = 120;
const LONGEST_TEXT = '\u0001'.repeat(65_536);
const READERS = 20;
const AT_ONCE = 10;
const PIPELINED = 200;
const ANSWERED_MS = 200;
const UNREAD_MS = 2_000;

export async function fillLog({ subject, device }: Ground): Promise<void> {
  for (let nth = 0; nth < MESSAGES; nth += 1) {
    const from = userJid(`62870000${String(nth).padStart(4, '0')}`);
    const netId = `LARGE${nth}.${systemClock.now()}`;
    const content = { type: 'text', body: LONGEST_TEXT } as const;
    const message = { netId, chat: from, from, fromName: null, content, quotes: null, at: systemClock.now() };
    await subject.network.tell(device.id, { type: 'received', message }, netId);
  }
}

const RECORDS = 60;
const IN_A_YEAR_MS = 365 * 86_400_000;
const LONGEST_CONTACT_TEXT = '\u0001'.repeat(500);

export async function fillLists({ api, device }: Ground): Promise<void> {
  const scheduled_at = systemClock.now() + IN_A_YEAR_MS;
  const attrs = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`attribute_${nth}`, LONGEST_CONTACT_TEXT]));
  const kinds: readonly ((nth: number) => readonly [path: string, body: object])[] = [
    (nth) => ['/v1/contacts', { phone: `+62880000${String(nth).padStart(5, '0')}`, name: 'x', attrs }],
    (nth) => ['/v1/templates', { name: `large ${nth}`, message_type: 'text', body: LONGEST_TEXT }],
    () => [`${device.path}/scheduled`, { chat_id: '6281211110001', type: 'text', body: LONGEST_TEXT, scheduled_at }],
    (nth) => [
      `${device.path}/recurring`,
      { name: `large ${nth}`, targets: ['6281211110001'], message: LONGEST_TEXT, schedule_type: 'daily' },
    ],
    () => ['/v1/ai-reply/answers', { question: '\u0001?'.repeat(250), answer: '\u0001a'.repeat(1_000) }],
  ];
  // Status 402 is fine, because a full list refuses further records.
  for (const kind of kinds) for (let nth = 0; nth < RECORDS; nth += 1) expected(await api('POST', ...kind(nth)), 201, 402);
}

export function* pageCases(rows: readonly RowFacts[], known: Readonly<Record<string, string>>): Generator<Case> {
  for (const row of rows) {
    if (row.method !== 'GET') continue;
    const takesLimit = parametersOf(row).some(({ name }) => name === 'limit');
    const path = row.path.replace(/\{(\w+)[^}]*\}/g, (_whole, name: string) => known[`${row.id}.${name}`] ?? known[name] ?? 'x');
    yield* manners(row.id, takesLimit ? `${path}?limit=200` : path);
  }
}

function* manners(id: string, path: string): Generator<Case> {
  const one = (kind: string, attack: Case['attack'], isSlow = false): Case => ({
    kinds: [`page ${id}`, kind],
    isSlow,
    title: `GET ${path}, ${kind}`,
    bytes: 0,
    attack,
  });
  yield one('once', (ground) => get(ground, path));
  yield one('ten at once', (ground) => Promise.all(Array.from({ length: AT_ONCE }, () => get(ground, path))));
  yield one('twenty readers that do not read', (ground) => unread(ground, path, READERS, 1), true);
  yield one('two hundred on one connection that is not read', (ground) => unread(ground, path, 1, PIPELINED), true);
}

const headersOf = ({ tenant }: Ground): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${tenant.token}`,
  'x-admin-secret': SECRETS.admin,
});

const get = (ground: Ground, path: string) => ground.subject.send({ method: 'GET', path, headers: headersOf(ground) });

async function unread(ground: Ground, path: string, readers: number, requests: number): Promise<void> {
  const headers = Object.entries({ host: 'guard', ...headersOf(ground) }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\n${headers.join('')}\r\n`;
  const sockets = await Promise.all(Array.from({ length: readers }, () => dialled(ground)));
  for (const socket of sockets) socket.pause().write(request.repeat(requests));
  await pause(systemClock, UNREAD_MS);
  for (const socket of sockets) socket.destroy();
}

function dialled({ subject }: Ground): Promise<Socket> {
  const { hostname, port } = new URL(subject.url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
    socket.on('error', reject);
  });
}

const STREAMS: Readonly<Record<string, readonly string[]>> = {
  'no HTTP': ['\0'.repeat(1_000_000)],
  'a line without an end': [`GET /${'a'.repeat(1_000_000)}`],
  'headers without an end': [`GET / HTTP/1.1\r\nhost: x\r\n${'x-a: 1\r\n'.repeat(20_000)}`],
  'the longest headers': [`GET /health HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(2_500)}\r\n`],
  'a cookie of fifteen kilobytes': [`GET /console/ HTTP/1.1\r\nhost: x\r\ncookie: ${'a=b; '.repeat(3_000)}\r\n\r\n`],
  'many languages': [`GET /v1/me HTTP/1.1\r\nhost: x\r\naccept-language: ${'id;q=0.1,'.repeat(1_600)}\r\n\r\n`],
  'many ranges': [`GET /docs/api HTTP/1.1\r\nhost: x\r\nrange: bytes=${'0-1,'.repeat(3_000)}\r\n\r\n`],
  'many encodings': [`GET /docs/api HTTP/1.1\r\nhost: x\r\naccept-encoding: ${'gzip;q=0.1,'.repeat(1_300)}\r\n\r\n`],
  'a token of fifteen kilobytes': [`GET /v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${'a.'.repeat(7_000)}\r\n\r\n`],
  'chunks of one byte': [
    'POST /auth/register HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    '1\r\n \r\n'.repeat(100_000),
  ],
  'chunks with long extensions': [
    'POST /auth/register HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    `1;${'a'.repeat(10_000)}\r\n \r\n`.repeat(50),
  ],
  'one byte at a time': [...'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'],
  'two thousand small requests': ['GET /health HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000)],
  'two thousand requests of unknown paths': ['GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000)],
  upgrades: ['GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: sandbox-line\r\n\r\n'.repeat(100)],
};

export function* streamCases(): Generator<Case> {
  for (const [title, pieces] of Object.entries(STREAMS)) {
    yield {
      kinds: [`stream of ${title}`],
      title: `a connection with ${title}`,
      bytes: pieces.reduce((sum, { length }) => sum + length, 0),
      async attack(ground) {
        const socket = await dialled(ground);
        socket.on('error', () => {}).resume();
        for (const piece of pieces) {
          socket.write(piece);
          await pause(systemClock, 1);
        }
        await pause(systemClock, ANSWERED_MS);
        socket.destroy();
      },
    };
  }
}

const IDLE = 600;
const ROUNDS = 40;
const BEFORE_ROUNDS = 60;
const WORKED_WITHIN_MS = 150;

/** Requires a node that may use only 300 descriptors. */
export const descriptorCase = (): Case => ({
  kinds: ['descriptors'],
  title: `an import, a file and a document while ${IDLE} idle connections come`,
  bytes: IDLE * 100,
  async attack(ground) {
    const idle: Socket[] = [];
    const { hostname, port } = new URL(ground.subject.url);
    const dial = (count: number): void => {
      for (let nth = 0; nth < count; nth += 1) idle.push(connect({ host: hostname, port: Number(port) }).on('error', () => {}));
    };
    // Opens the connections for these requests now, before the descriptors run out.
    const works = await Promise.all(Array.from({ length: ROUNDS * WORK.length }, () => dialled(ground)));
    dial(BEFORE_ROUNDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const now = works.splice(0, WORK.length);
      for (const [nth, socket] of now.entries()) socket.on('error', () => {}).write(requestOf(ground, WORK[nth] ?? ''));
      await pause(systemClock, WORKED_WITHIN_MS);
      for (const socket of now) socket.destroy();
      dial(2 * WORK.length);
    }
    dial(IDLE - idle.length);
    await pause(systemClock, UNREAD_MS);
    for (const socket of idle) socket.destroy();
    await pause(systemClock, UNREAD_MS / 4);
  },
});

const FORM =
  '--guard\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nphone,name\n+6281211110001,x\n\r\n--guard--\r\n';
const WORK = ['/v1/contacts/import', '/v1/media/upload', '/v1/ai-reply/documents'];

function requestOf(ground: Ground, path: string): string {
  const headers = {
    host: 'guard',
    ...headersOf(ground),
    'content-type': 'multipart/form-data; boundary=guard',
    'content-length': String(FORM.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${FORM}`;
}
