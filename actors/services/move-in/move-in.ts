import { randomBytes } from 'node:crypto';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { CredentialRows, KeyEntry } from '../../../store/devices/credentials.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Counts, DroppedRecord, MoveInRow, MoveIns } from '../../../store/devices/move-ins.ts';
import type { MoveError, MoveStatus } from '../../../store/devices/moving-login.ts';
import { isMoving } from '../../device/behaviour/move-in.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { refusal } from '../../domain/refusals.ts';
import type { AdoptedSecret, LoginFormat, LoginReader, ReadLogin } from '../../network/move-in/login-reader.ts';
import { type ReadBundle, readBundle } from './read-bundle.ts';

/**
 * Moves a login from another program to a device without linking again. The device's part is in
 * device/behaviour/move-in.ts. The secrets are stored under a new generation. The device then
 * adopts this generation in one write, on the node that owns it. If the process dies before that,
 * the unused secrets remain until the device is next linked, moved in or removed.
 */

export interface MoveInDeps {
  readonly moveIns: MoveIns;
  readonly devices: Pick<Devices, 'find'>;
  readonly credentialRows: Pick<CredentialRows, 'keep' | 'destroy'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
  readerOf(format: LoginFormat, generation: string, now: number): LoginReader | null;
}

export interface ShownMove {
  readonly status: MoveStatus;
  readonly accepted: Counts;
  readonly dropped: readonly DroppedRecord[];
  readonly ignored: Counts;
  readonly error: MoveError | null;
}

export interface MoveInService {
  expectNoLogin(device: DeviceRow): void;
  check(chunks: AsyncIterable<Uint8Array>, now: number): Promise<ReadBundle>;
  /** Starts a move and returns its ID. Throws NoFormat. */
  begin(device: DeviceRow, chunks: AsyncIterable<Uint8Array>, now: number): Promise<string>;
  find(device: DeviceRow, id: string, now: number): Promise<ShownMove | null>;
}

const KEPT_MS = 7 * 86_400_000;
const INTERRUPTED_AFTER_MS = 10 * 60_000;
const AT_ONCE = 200;
const ADOPT_MS = 60_000;

const LINKED = { en: 'the device already has a login', id: 'perangkat sudah memiliki login' };
const OFFICIAL = {
  en: 'a number on the official platform cannot be moved in this way',
  id: 'nomor platform resmi tidak dapat dipindahkan dengan cara ini',
};

export function createMoveIn(deps: MoveInDeps): MoveInService {
  const { moveIns, credentialRows } = deps;

  async function settleFormer({ moving }: DeviceRow): Promise<void> {
    if (moving) await moveIns.note(moving.id, moving.status, moving.error);
  }

  async function takeOver(device: DeviceRow, id: string, login: ReadLogin, generation: string): Promise<void> {
    const owner = { tenantId: device.tenant_id, sessionId: device._id, epoch: device.epoch };
    const hasSecrets = login.secrets.length > 0;
    for (const some of inChunks(entriesOf(login.secrets), AT_ONCE)) await credentialRows.keep(owner, generation, some);
    const { credentials, phone, lid, linkedAt } = login;
    try {
      const adopted = { moveId: id, generation: hasSecrets ? generation : null, credentials, phone, lid, linkedAt };
      await deps.device(device).ask({ type: 'adopt', login: adopted }, ADOPT_MS);
      await moveIns.note(id, 'dialling', null);
    } catch (cause) {
      // After a timeout, the device may have adopted the login, so only a refusal removes the secrets.
      const isRefused = cause instanceof Refusal && (cause.code === 'CONFLICT' || cause.code === 'NOT_FOUND');
      if (isRefused && hasSecrets) await credentialRows.destroy(owner, generation).catch(() => {});
      if (isRefused) return moveIns.note(id, 'failed', 'NOT_TAKEN_OVER');
      throw cause;
    }
  }

  return {
    expectNoLogin,
    check: (chunks, now) => readBundle(chunks, (format) => deps.readerOf(format, 'unused', now)),

    async begin(device, chunks, now) {
      expectNoLogin(device);
      const generation = randomBytes(9).toString('base64url');
      const { login, accepted, dropped, droppedCount, ignored } = await readBundle(chunks, (format) =>
        deps.readerOf(format, generation, now),
      );
      const id = newId(now);
      const row: MoveInRow = {
        ...{ _id: id, tenant_id: device.tenant_id, session_id: device._id },
        ...{ accepted, dropped, dropped_count: droppedCount, ignored },
        status: login ? 'checking' : 'failed',
        error: login ? null : 'LOGIN_INCOMPLETE',
        ...{ created_at: now, expires_at: now + KEPT_MS },
      };
      await moveIns.add(row);
      await settleFormer(device);
      if (login) await takeOver(device, id, login, generation);
      return id;
    },

    async find(device, id, now) {
      const row = await moveIns.find(device.tenant_id, device._id, id, now);
      return row && { ...shownOf(row), ...progressOf(row, device, now) };
    },
  };
}

function expectNoLogin({ official = null, credentials, moving = null }: DeviceRow): void {
  if (official) throw refusal('CONFLICT', { reason: OFFICIAL });
  if (credentials !== null || isMoving(moving)) throw refusal('CONFLICT', { reason: LINKED });
}

/** Returns entries with low revisions, so that later writes of the device overwrite them. */
const entriesOf = (secrets: readonly AdoptedSecret[]): readonly KeyEntry[] =>
  secrets.map(({ name, text }, nth) => ({ name, rev: nth + 1, value: text }));

const shownOf = ({ accepted, dropped, ignored }: MoveInRow) => ({ accepted, dropped, ignored });

function progressOf(
  { _id, status, error, created_at }: MoveInRow,
  { moving }: DeviceRow,
  now: number,
): Pick<ShownMove, 'status' | 'error'> {
  if (moving?.id === _id) return { status: moving.status, error: moving.error };
  const isInterrupted = status === 'checking' && now - created_at > INTERRUPTED_AFTER_MS;
  return isInterrupted ? { status: 'failed', error: 'INTERRUPTED' } : { status, error };
}
