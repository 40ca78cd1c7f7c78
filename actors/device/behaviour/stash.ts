import type { CoreEffect } from '../../../runtime/actor-system/behaviour.ts';
import { type Refusal, runtimeRefusal } from '../../../runtime/errors.ts';
import { refusal } from '../../domain/refusals.ts';
import type { ConnectionCommand, DeviceEvent, DeviceState, DeviceStep } from '../protocol.ts';

/** Keeps the commands for a device in memory while it reconnects after a move or a restart. */

const MAX_STASHED = 200;

/** Whether the device reconnects after a move or a node restart. Users still see it as online. */
export const isComingBack = ({ facts, connection }: DeviceState): boolean =>
  (connection.phase === 'opening' || connection.phase === 'connecting') &&
  connection.failures === 0 &&
  facts.credentials !== null &&
  facts.status === 'connected';

/** Whether the device went offline to move to another node and will soon be stopped on this one. */
export const isLeaving = ({ facts, connection }: DeviceState): boolean =>
  connection.phase === 'down' && facts.wanted && facts.credentials !== null;

export function wait(state: DeviceState, command: ConnectionCommand): DeviceStep {
  if (state.stash.length >= MAX_STASHED) return [state, refuseIt(command, refusal('OVERLOADED'))];
  return [{ ...state, stash: [...state.stash, command] }];
}

/** The error ELSEWHERE makes the caller send the command to the device's next owner. */
export const elsewhere = (command: ConnectionCommand): CoreEffect<DeviceEvent> => refuseIt(command, runtimeRefusal('ELSEWHERE'));

const refuseIt = ({ replyTo }: ConnectionCommand, error: Refusal): CoreEffect<DeviceEvent> => ({ do: 'refuse', to: replyTo, error });
