import { afterEach, beforeEach } from 'node:test';
import { type Fixture, openFixture } from '../../../support/accounts-harness.ts';
import { eachStore } from '../../../support/stores.ts';

/** A story told of a fresh office on every store; `office()` is the one of the running test. */
export function story(title: string, tell: (fixture: () => Fixture) => void): void {
  eachStore(title, (kind) => {
    const endings: (() => unknown)[] = [];
    let fixture: Fixture;
    beforeEach(async () => {
      fixture = await openFixture(await kind.fresh({ after: (end: () => unknown) => endings.push(end) }));
      endings.push(fixture.close);
    });
    afterEach(async () => {
      for (const end of endings.splice(0).reverse()) await end();
    });
    tell(() => fixture);
  });
}
