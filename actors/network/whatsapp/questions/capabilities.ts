import type { Capabilities } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { NO_CATALOG } from './business.ts';
import { NO_BUSINESS } from './business-profile.ts';
import { NO_KEY } from './shared-settings.ts';

export const accountCapabilities = ({ creds, catalog }: ConnectionContext): Capabilities => ({
  account: true,
  people: true,
  blocklist: true,
  calls: true,
  // Platform names of business apps start with `smb`.
  business: creds.platform?.startsWith('smb') ? true : { reason: NO_BUSINESS },
  catalog: catalog ? true : { reason: NO_CATALOG },
  labels: creds.myAppStateKeyId ? true : { reason: NO_KEY },
});
