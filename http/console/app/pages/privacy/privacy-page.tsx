import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Page } from '../../ui/page.tsx';
import { SettingsFrame } from '../../ui/settings-frame.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Erasures } from './erasures.tsx';
import { Exports } from './exports.tsx';
import { Holds } from './holds.tsx';
import { Retention } from './retention.tsx';
import { words } from './words.ts';

export function PrivacyPage(): JSX.Element {
  const t = words();
  const privacy = useResource('privacy', (signal) => call('getPrivacy', {}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <SettingsFrame section="privacy">
        <div class="stack">
          <Loaded of={privacy}>
            {(data) => (
              <>
                <Retention privacy={data} onChange={privacy.put} />
                <Holds hold={data.hold} onChange={privacy.reload} />
              </>
            )}
          </Loaded>
          <Exports />
          <Erasures />
        </div>
      </SettingsFrame>
    </Page>
  );
}
