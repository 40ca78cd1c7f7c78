import { Link } from '../../scripts/chaos/link.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { aDatabase, type Scope, type StoreKind } from './stores.ts';

/** Calls wait until the test ends the outage. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Starts a store over MongoDB with a link that tests can cut. It counts as away once it has not been found for
 * `answersWithinMs` (real time).
 */
export async function aCuttableStore(scope: Scope, answersWithinMs: number): Promise<{ readonly link: Link; readonly kind: StoreKind }> {
  const url = new URL(aDatabase(scope));
  const link = await Link.to({ host: url.hostname, port: Number(url.port || 27_017) });
  // A test that fails before restoring the link must still be able to stop its gateway.
  scope.after(() => link.mend());
  url.host = `127.0.0.1:${link.port}`;
  url.searchParams.set('directConnection', 'true');
  const kind: StoreKind = {
    name: 'mongodb',
    async fresh(own) {
      own.after(() => link.close());
      const store = await openMongo({ url: url.href, answersWithinMs, patienceMs: PATIENCE_MS });
      own.after(() => store.close());
      return store;
    },
  };
  return { link, kind };
}
