import { createFetcher } from '../../../actors/services/media/fetcher.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { egressTo } from '../../../runtime/egress/egress.ts';
import { ChatwootApi } from './api.ts';
import { RunningBridge } from './bridge.ts';
import { expectKey, gatewayAt } from './gateway.ts';
import { chatwootUrl, idOf, listenAt, publicUrl, secretsIn } from './options.ts';
import { BridgeRefused } from './refused.ts';
import { BridgeState } from './state.ts';

/** The process that `npx gateway bridge chatwoot` runs. */

export interface BridgeOptions {
  readonly gatewayUrl: string;
  readonly to: string;
  readonly account: string;
  readonly inbox: string;
  readonly session: string;
  readonly state: string;
  readonly listen: string;
  readonly publicUrl: string;
  readonly isSigned: boolean;
  /** Seconds during which Chatwoot may still execute a request that was cut off. */
  readonly settle: string;
}

const POLL_MS = 1_000;
const SWEEP_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const TIDY_MS = 3_600_000;
const TIMEOUT_MS = 30_000;
const MAX_SETTLE_S = 3_600;

export async function runBridge(options: BridgeOptions, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  const { token, key, secret } = secretsIn(env);
  const url = chatwootUrl(options.to);
  const settings = {
    account: idOf(options.account, 'account'),
    inbox: idOf(options.inbox, 'inbox'),
    session: options.session,
    isSigned: options.isSigned,
    settleMs: settleOf(options.settle) * 1_000,
  };
  const listening = { ...listenAt(options.listen), secret, publicUrl: publicUrl(options.publicUrl) };
  const gateway = gatewayAt(options.gatewayUrl, key, settings.session);
  await expectKey(gateway, settings.session);
  const state = openState(options.state, `${url} ${settings.account} ${settings.inbox} ${settings.session}`);
  const egress = egressTo(url, systemClock);
  const chatwoot = new ChatwootApi({ url, account: settings.account, token, fetch, timeoutMs: TIMEOUT_MS });
  const files = createFetcher({ egress, clock: systemClock });
  const bridge = { settings, state, chatwoot, gateway, files, clock: systemClock, say };
  const pace = { pollMs: POLL_MS, sweepMs: SWEEP_MS, firstRetryMs: FIRST_RETRY_MS, tidyMs: TIDY_MS };
  const stopped = stopSignal();
  const running = await RunningBridge.start(bridge, pace, listening);
  say(`The bridge is running: ${url}, account ${settings.account}, inbox ${settings.inbox} (Ctrl-C to stop).`);
  if (secret === null)
    say('Webhooks are recognized only by their secret path. With Chatwoot 4.13 or later, also set CHATWOOT_WEBHOOK_SECRET.');
  const broken = await Promise.race([stopped, running.broken]);
  await running.stop();
  await egress.close();
  if (broken) throw new BridgeRefused(`The bridge cannot continue: ${broken.message}`);
}

function settleOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > MAX_SETTLE_S)
    throw new BridgeRefused(`--settle must be a number of seconds, at most ${MAX_SETTLE_S}.`);
  return seconds;
}

function openState(path: string, of: string): BridgeState {
  const state = new BridgeState(path);
  const known = state.setting('of');
  if (known !== null && known !== of) {
    state.close();
    throw new BridgeRefused(`${path} belongs to another bridge (${known}).`);
  }
  state.set('of', of);
  return state;
}

function stopSignal(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve(null));
  });
}
