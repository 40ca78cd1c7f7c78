import { pino } from 'pino';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import type { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { type Config, readConfig } from '../../../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../../../scripts/wiring/node.ts';
import type { Store } from '../../../../store/port.ts';
import type { Peer, PeerOptions } from '../../../network-peer/peer.ts';
import { busyStore } from '../../../support/busy-store.ts';
import { type Answer, type Api, calling, until } from '../../../support/gateway.ts';
import { aDirectory, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aPeerInTime } from './time.ts';

/** A whole gateway on the real network's driver, and people with phones on the other side of its protocol. */
export interface RealGateway {
  readonly clock: VirtualClock;
  readonly peer: Peer;
  readonly node: Node;
  readonly store: Store;
  readonly as: (token: string) => Api;
  until<T>(what: string, check: () => Promise<T> | T): ReturnType<typeof until<T>>;
  /** A business of the owner with this number; answers its token. */
  signUp(digits: string): Promise<string>;
  /** A device linked to this phone by its camera, online; answers its path. */
  linked(api: Api, digits: string): Promise<string>;
  /** The process dies, and the next one starts on the same store. */
  crash(): Promise<RealGateway>;
}

interface Parts {
  readonly scope: Scope;
  readonly clock: VirtualClock;
  readonly peer: Peer;
  readonly store: Store;
  readonly directory: string;
  readonly history: number;
  readonly config: Partial<Config>;
}

const SENDER = '12025550100';

interface Options extends PeerOptions {
  /** WHATSAPP_HISTORY */
  readonly history?: number;
  readonly config?: Partial<Config>;
}

export async function aRealGateway(
  scope: Scope,
  kind: StoreKind,
  { history = 0, config = {}, ...options }: Options = {},
): Promise<RealGateway> {
  const { clock, peer, waitWhile } = await aPeerInTime(scope, options);
  const { store, isBusy } = busyStore(await kind.fresh(scope));
  waitWhile(isBusy);
  return start({ scope, clock, peer, store, directory: aDirectory(scope), history, config });
}

async function start(parts: Parts): Promise<RealGateway> {
  const { scope, clock, peer, store, directory, history, config: given } = parts;
  const config = {
    ...readConfig({}, '/nowhere'),
    ...{ network: 'whatsapp' as const, whatsapp_url: peer.url, whatsapp_root_key: peer.rootKey, whatsapp_history: history },
    ...{ port: 0, data_dir: directory, node_id: 'n1', plans: plansFrom({}), ...given },
  };
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const node = await startNode(config, { clock, store, log, random: seededRandom(2), checkAnswers: true });
  let isOver = false;
  scope.after(async () => {
    if (!isOver) await passing(clock, node.stop());
  });
  const gateway: RealGateway = {
    clock,
    peer,
    node,
    store,
    as: (token) => calling(node.url, { authorization: `Bearer ${token}` }),
    until: (what, check) => until(clock, what, check),
    signUp: (digits) => signUp(gateway, digits),
    linked: (api, digits) => linked(gateway, api, digits),
    async crash() {
      isOver = true;
      await node.actors.shutdown();
      peer.cut();
      await passing(clock, node.http.stop({ timeoutMs: 0 }));
      return start(parts);
    },
  };
  await linkSender(gateway);
  return gateway;
}

export async function passing<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await clock.advance(25);
  return work;
}

async function linkSender({ node, peer, until }: RealGateway): Promise<void> {
  const operator = calling(node.url, { 'x-admin-secret': node.secrets.admin });
  const state = async (): Promise<Answer['body']> => (await operator('GET', '/v1/admin/sender')).body;
  if ((await state()).status === 'pending') {
    await operator('POST', '/v1/admin/sender/connect');
    await peer.phone(SENDER).scans(await until('the sender shows a code', async () => (await state()).qr));
  }
  await until('the sender is online', async () => (await state()).status === 'connected');
}

async function signUp({ clock, node, peer }: RealGateway, digits: string): Promise<string> {
  const stranger = calling(node.url, {});
  const phone = `+${digits}`;
  await passing(clock, stranger('POST', '/auth/register', { name: 'Acme', phone }));
  const code = /\d{6}/.exec(peer.phone(digits).shows().at(-1)?.text ?? '')?.[0];
  return (await stranger('POST', '/auth/verify-otp', { phone, code })).body.token;
}

async function linked({ peer, until }: RealGateway, api: Api, digits: string): Promise<string> {
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  await peer.phone(digits).scans(await until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr));
  await until('the device is online', async () => (await api('GET', path)).body.status === 'connected');
  return path;
}
