import type { Logger } from 'pino';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import type { Sender } from '../../actors/services/accounts/platform-sender.ts';
import type { Cancel, Clock } from '../../runtime/clock.ts';
import { Refusal } from '../../runtime/errors.ts';

export const SENDER_PHONE = '12025550100';

const RETRY_MS = 2_000;

export interface LinkingParts {
  readonly sandbox: Sandbox | null;
  readonly url: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Links the sender on the sandbox network, where the gateway itself enters the pairing code. */
export function linkSender(sender: Sender, { sandbox, url, clock, log }: LinkingParts): Cancel {
  let cancel: Cancel = () => {};
  let stopped = false;
  const attempt = async (): Promise<void> => {
    const row = await sender.find();
    if (row.credentials !== null) return;
    const { code } = await sender.device(row).ask({ type: 'pairByCode', digits: SENDER_PHONE });
    await typeCode(code);
  };
  const typeCode = async (code: string): Promise<void> => {
    if (sandbox) return sandbox.phone(SENDER_PHONE).scan({ pairingCode: code });
    const response = await fetch(`${url}/sandbox/phones/${SENDER_PHONE}/scan`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pairing_code: code }),
    });
    if (!response.ok) throw new Error(`the sandbox answered ${response.status}`);
  };
  const again = (): void => {
    attempt().catch((cause) => {
      if (stopped) return;
      // A Refusal means that another node is linking the sender, or that the network is not available yet.
      if (!(cause instanceof Refusal)) log.warn({ event: 'sender.not_linked', err: cause }, "the platform's sender is not linked yet");
      cancel = clock.after(RETRY_MS, again);
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}
