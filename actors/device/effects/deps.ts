import type { Logger } from 'pino';
import type { Random } from '../../../runtime/random.ts';
import type { CredentialRows } from '../../../store/devices/credentials.ts';
import type { DeviceDays } from '../../../store/devices/device-days.ts';
import type { DeviceDirectory } from '../../../store/devices/device-directory.ts';
import type { Devices, SessionEvent } from '../../../store/devices/devices.ts';
import type { Habit } from '../../../store/devices/network-habits.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import type { SendQueue } from '../../../store/sending/send-queue.ts';
import type { Network } from '../../network/port.ts';
import type { ClientBuildService } from '../../services/client-build/client-build.ts';
import type { KeepAnswer } from '../../services/groups/group-answers.ts';
import type { DeviceFiles } from '../../services/media/device-files.ts';
import type { OutboxHandler } from '../../services/messaging/outbox-processor.ts';
import type { UnknownCounts } from '../../services/network-unknown/network-unknown.ts';
import type { Pacing } from '../behaviour/facts.ts';
import type { DeferredMediaDeps } from './deferred-media.ts';
import type { DeviceTimersDeps } from './device-timers.ts';
import type { LoginRateLimiter } from './login-rate-limiter.ts';
import type { MessageActionDeps } from './message-action-effects.ts';
import type { PreviewedSendsDeps } from './previewed-sends.ts';

export interface DeviceDeps extends MessageActionDeps, DeferredMediaDeps, DeviceTimersDeps, PreviewedSendsDeps {
  readonly store: Pick<Store, 'together' | 'soon'>;
  readonly network: Network;
  officialDriver(owner: Owner): Promise<Pick<Network, 'open'>>;
  readonly builds: Pick<ClientBuildService, 'prepare' | 'forLogin' | 'heard' | 'current'>;
  readonly devices: Devices;
  readonly deviceDirectory: Pick<DeviceDirectory, 'wanted' | 'unpublished'>;
  readonly credentialRows: CredentialRows;
  readonly messages: Messages;
  readonly queue: SendQueue;
  readonly days: DeviceDays;
  readonly files: DeviceFiles;
  readonly loginRateLimiter: LoginRateLimiter;
  readonly keepAnswer: KeepAnswer;
  readonly random: Random;
  readonly log: Logger;
  readonly outboxHandlers: readonly OutboxHandler[];
  tell(owner: Owner, session_events: readonly SessionEvent[]): Promise<void>;
  loginRefused(reason: string): void;
  readonly unknown: Pick<UnknownCounts, 'note'>;
  readonly node: string;
  pacingOf(tenantId: string): Promise<Pacing>;
  readonly habits: readonly Habit[];
  /** Maximum number of messages imported per chat (the setting WHATSAPP_HISTORY). */
  readonly history: number;
}
