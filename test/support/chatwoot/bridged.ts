import { once } from 'node:events';

import { createServer } from 'node:net';
import { join } from 'node:path';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { createFetcher } from '../../../actors/services/media/fetcher.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { egressTo } from '../../../runtime/egress/egress.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { ChatwootApi } from '../../../scripts/bridge/chatwoot/api.ts';
import { RunningBridge } from '../../../scripts/bridge/chatwoot/bridge.ts';
import type { Bridge } from '../../../scripts/bridge/chatwoot/context.ts';
import { gatewayAt } from '../../../scripts/bridge/chatwoot/gateway.ts';
import { BridgeState } from '../../../scripts/bridge/chatwoot/state.ts';
import { ANNA, aGateway, PHONE } from '../gateway.ts';
import { aDirectory, embedded, type Scope } from '../stores.ts';
import { INBOX } from './books.ts';
import { Chatwoot, TOKEN, WEBHOOK_SECRET } from './chatwoot.ts';

/** A gateway with a device, a Chatwoot double, and a bridge between them. All share one virtual clock. */

const PLENTY = { devices: 10, messages: 10_000, send_per_minute: 10_000, key_cap: 10_000 };
const SETTLE_MS = 20_000;

export async function bridged(
  scope: Scope,
  options: { readonly isSigned?: boolean; readonly settleMs?: number; readonly sweepMs?: number; readonly clock?: Clock } = {},
) {
  let gateway = await aGateway(scope, { kind: embedded, config: { plans: plansFrom({ free: PLENTY }) } });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Chatwoot', scopes: ['read', 'send'], session_ids: [device.id] })).body;
  const chatwoot = new Chatwoot(options.clock ?? gateway.clock);
  await chatwoot.start();
  scope.after(() => chatwoot.kill());
  const file = join(aDirectory(scope), 'chatwoot.state');
  const port = await freePort();

  /** Dependencies of the bridge. */
  const parts = (): Bridge => ({
    settings: {
      account: 1,
      inbox: INBOX,
      session: device.id,
      isSigned: options.isSigned ?? false,
      settleMs: options.settleMs ?? SETTLE_MS,
    },
    state: new BridgeState(file),
    chatwoot: new ChatwootApi({ url: chatwoot.url, account: 1, token: TOKEN, fetch, timeoutMs: 60_000 }),
    gateway: gatewayAt(gateway.node.url, key, device.id),
    files: createFetcher({ egress: egressTo(chatwoot.url, gateway.clock), clock: gateway.clock }),
    clock: gateway.clock,
    say: () => {},
  });

  const start = (bridge: Bridge = parts()): Promise<RunningBridge> =>
    gateway.during(
      RunningBridge.start(
        bridge,
        { pollMs: 2_000, sweepMs: options.sweepMs ?? 60_000, firstRetryMs: 1_000, tidyMs: 60_000 },
        { port, host: '127.0.0.1', secret: WEBHOOK_SECRET, publicUrl: `http://127.0.0.1:${port}` },
      ),
    );

  return {
    ...{ gateway, tenant, device, key, chatwoot, file, port, parts, start },
    /** Kills the gateway and starts it again at another address. */
    crash: async () => {
      gateway = await gateway.crash();
    },
    /** Returns what a customer's phone shows from the business, oldest first. */
    shown: (phone = ANNA) =>
      gateway.sandbox
        .phone(phone)
        .messages(500)
        .filter(({ from }) => from === PHONE)
        .toReversed(),
    /** Returns what agents see in Chatwoot, oldest first, without notes. */
    seen: () => chatwoot.books.all().filter(({ isPrivate }) => !isPrivate),
    notes: () => chatwoot.books.all().filter(({ isPrivate }) => isPrivate),
    write: (body: string, from = ANNA) => gateway.sandbox.phone(from).write({ to: PHONE, content: { type: 'text', body } }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
