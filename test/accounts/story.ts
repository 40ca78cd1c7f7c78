import { afterEach, beforeEach } from 'node:test';
import { eachStore } from '../support/stores.ts';
import { type Office, openOffice } from './office.ts';

/** A story told of a fresh office on every store; `office()` is the one of the running test. */
export function story(title: string, tell: (office: () => Office) => void): void {
  eachStore(title, (kind) => {
    const endings: (() => unknown)[] = [];
    let office: Office;
    beforeEach(async () => {
      office = await openOffice(await kind.fresh({ after: (end: () => unknown) => endings.push(end) }));
      endings.push(office.close);
    });
    afterEach(async () => {
      for (const end of endings.splice(0).reverse()) await end();
    });
    tell(() => office);
  });
}
