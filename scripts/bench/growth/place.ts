import { join } from 'node:path';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import type { Store } from '../../../store/port.ts';

export async function openAt(directory: string, url: string | undefined): Promise<Store> {
  return url ? openMongo({ url }) : openEmbedded({ path: join(directory, 'gateway.db') });
}
