import type { AccountForm, MediaState } from './chat-forms.ts';
import type { ShownMarks } from './marked-chats.ts';
import type { DeviceHandle } from './sandbox.ts';

export interface DeviceBody {
  readonly migrated?: boolean | null;
  readonly requires_token?: boolean;
  readonly media?: MediaState;
  readonly refuses_changes?: boolean;
  readonly older_history?: number;
}

export interface ShownDevice extends Required<Omit<DeviceBody, 'media'>>, Pick<DeviceBody, 'media'>, ShownMarks {
  readonly phone: string;
  readonly presence: 'available' | 'unavailable';
  readonly timers: Readonly<Record<string, number>>;
}

export const formIn = (body: DeviceBody): Partial<AccountForm> => {
  const { migrated, requires_token: requiresToken, media, refuses_changes: refusesChanges, older_history: olderHistory } = body;
  return {
    ...(migrated !== undefined && { migrated }),
    ...(requiresToken !== undefined && { requiresToken }),
    ...(media && { media }),
    ...(refusesChanges !== undefined && { refusesChanges }),
    ...(olderHistory !== undefined && { olderHistory }),
  };
};

export function shownDevice(phone: string, device: DeviceHandle): ShownDevice {
  const { migrated, requiresToken, media, refusesChanges, olderHistory } = device.form();
  const form = {
    migrated,
    requires_token: requiresToken,
    ...(media !== 'ok' && { media }),
    refuses_changes: refusesChanges,
    older_history: olderHistory,
  };
  const presence = device.isAvailable() ? 'available' : 'unavailable';
  return { phone, ...form, ...device.marks(), timers: device.timers(), presence };
}
