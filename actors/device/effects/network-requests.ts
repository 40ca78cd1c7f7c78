import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { refusal } from '../../domain/refusals.ts';
import { passkeysOf } from '../../network/passkey.ts';
import type { Connection } from '../../network/port.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';

export type NetworkRequest = Extract<DeviceEffect, { readonly do: 'askCode' | 'askLookUp' | 'answerPasskey' | 'confirmPasskey' }>;

/** Sends a request of a caller to the connection; the device gets the answer or the refusal, with its caller. */
export function requestFromNetwork(effect: NetworkRequest, connection: Connection | null, receive: (event: DeviceEvent) => void): void {
  const to = effect.do === 'askCode' ? effect.want.replyTo : effect.replyTo;
  const answer = connection ? put(effect, connection) : Promise.reject(refusal('NOT_CONNECTED'));
  answer.then(
    (value) => receive({ type: 'answered', to, value }),
    (error: Error) => receive({ type: 'refused', to, error }),
  );
}

async function put(effect: NetworkRequest, connection: Connection): Promise<unknown> {
  switch (effect.do) {
    case 'askCode':
      return connection.pairingCode(effect.want.digits);
    case 'askLookUp':
      return connection.lookUp(effect.digits);
    case 'answerPasskey':
      await passkeysOf(connection).answerPasskey(effect.credential);
      return null;
    case 'confirmPasskey':
      await passkeysOf(connection).confirmPasskey();
      return null;
    default:
      return unreachable(effect);
  }
}
