import type { Logger } from 'pino';
import type { Owner } from '../../../store/messaging/messages.ts';
import { refusedAs } from '../../domain/refused-login.ts';
import type { Network } from '../../network/port.ts';
import type { DeviceDeps } from './deps.ts';

export async function officialDriverOf(
  { officialDriver }: Pick<DeviceDeps, 'officialDriver'>,
  owner: Owner,
  failed: (cause: unknown) => void,
): Promise<Pick<Network, 'open'> | null> {
  try {
    return await officialDriver(owner);
  } catch (cause) {
    failed(cause);
    return null;
  }
}

export function noteRefusal({ loginRefused }: Pick<DeviceDeps, 'loginRefused'>, log: Logger, code: number, version: string): void {
  const reason = refusedAs(code);
  if (reason === null) return;
  loginRefused(reason);
  log.warn({ event: 'network.login_refused', reason, code, version }, 'the network refused a login');
}
