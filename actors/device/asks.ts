import { unreachable } from '../../runtime/behaviour.ts';
import { passkeysOf } from '../network/passkey.ts';
import type { Line } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import type { DeviceEffect, DeviceEvent } from './protocol.ts';

export type AskEffect = Extract<DeviceEffect, { readonly do: 'askCode' | 'askLookUp' | 'answerPasskey' | 'confirmPasskey' }>;

/** Puts what somebody asked to the line; the device hears the answer, or the refusal, and who waits for it. */
export function ask(effect: AskEffect, line: Line | null, hear: (event: DeviceEvent) => void): void {
  const to = effect.do === 'askCode' ? effect.want.replyTo : effect.replyTo;
  const answer = line ? put(effect, line) : Promise.reject(refusal('NOT_CONNECTED'));
  answer.then(
    (value) => hear({ type: 'answered', to, value }),
    (error: Error) => hear({ type: 'refused', to, error }),
  );
}

async function put(effect: AskEffect, line: Line): Promise<unknown> {
  switch (effect.do) {
    case 'askCode':
      return line.pairingCode(effect.want.digits);
    case 'askLookUp':
      return line.lookUp(effect.digits);
    case 'answerPasskey':
      await passkeysOf(line).answerPasskey(effect.credential);
      return null;
    case 'confirmPasskey':
      await passkeysOf(line).confirmPasskey();
      return null;
    default:
      return unreachable(effect);
  }
}
