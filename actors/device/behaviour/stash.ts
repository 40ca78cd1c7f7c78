import type { CoreEffect } from '../../../runtime/actor-system/behaviour.ts';
import { type Refusal, runtimeRefusal } from '../../../runtime/errors.ts';
import { refusal } from '../../domain/refusals.ts';
import type { ConnectionCommand, DeviceEvent, DeviceState, DeviceStep } from '../protocol.ts';

/** Commands that wait while a device reconnects after a move or a restart. They exist only in the device's state. */

/** Larger than the number of commands that a device receives during a move. */
const MAX_STASHED = 200;

/**
 * Whether the device is reconnecting after a move or a node restart: users see it as online, and it
 * will be in a moment.
 */
export const isComingBack = ({ facts, connection }: DeviceState): boolean =>
  (connection.phase === 'opening' || connection.phase === 'connecting') &&
  connection.failures === 0 &&
  facts.credentials !== null &&
  facts.status === 'connected';

/** Whether the device has gone offline for its next owner and only waits to be stopped here. */
export const isLeaving = ({ facts, connection }: DeviceState): boolean =>
  connection.phase === 'down' && facts.wanted && facts.credentials !== null;

export function wait(state: DeviceState, command: ConnectionCommand): DeviceStep {
  if (state.stash.length >= MAX_STASHED) return [state, refuseIt(command, refusal('OVERLOADED'))];
  return [{ ...state, stash: [...state.stash, command] }];
}

/** Refuses with ELSEWHERE, so that the caller sends the command to the next owner. */
export const elsewhere = (command: ConnectionCommand): CoreEffect<DeviceEvent> => refuseIt(command, runtimeRefusal('ELSEWHERE'));

const refuseIt = ({ replyTo }: ConnectionCommand, error: Refusal): CoreEffect<DeviceEvent> => ({ do: 'refuse', to: replyTo, error });
