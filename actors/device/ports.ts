import type { Logger } from 'pino';
import type { Chance } from '../../runtime/chance.ts';
import type { DeviceDays } from '../../store/device-days.ts';
import type { Devices, Happening } from '../../store/devices.ts';
import type { Keyrings } from '../../store/keyrings.ts';
import type { Messages, Owner } from '../../store/messages.ts';
import type { Queue } from '../../store/queue.ts';
import type { FollowUp } from '../follow-ups.ts';
import type { Network } from '../network/port.ts';
import type { ActPorts } from './act-hands.ts';
import type { DeviceFiles } from './files.ts';
import type { LeftFilePorts } from './left-files.ts';
import type { LoginGate } from './login-gate.ts';
import type { Pacing } from './protocol.ts';

/** What a device needs of the world. */
export interface DevicePorts extends ActPorts, LeftFilePorts {
  readonly network: Network;
  readonly devices: Devices;
  readonly keyrings: Keyrings;
  readonly messages: Messages;
  readonly queue: Queue;
  readonly days: DeviceDays;
  readonly files: DeviceFiles;
  readonly gate: LoginGate;
  readonly chance: Chance;
  readonly log: Logger;
  /** What follows from each change of a message. */
  readonly followUps: readonly FollowUp[];
  /** Records what happened to a device; idempotent, again after a crash. */
  tell(owner: Owner, happenings: readonly Happening[]): Promise<void>;
  /** The name under which this node owns devices. */
  readonly node: string;
  pacingOf(tenantId: string): Promise<Pacing>;
}
