import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { DeviceChoice, deviceOf } from '../../ui/device-choice.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RuleForm } from './rule-form.tsx';
import { RuleRow } from './rule-row.tsx';
import { TryRules } from './try-rules.tsx';
import { words } from './words.ts';

export function AutoRepliesPage({ query }: RouteProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <Loaded of={devices}>
        {({ sessions }) => {
          const chosen = deviceOf(sessions, query?.['session_id']);
          if (!chosen) return <Empty title={t.noDevices} about={t.noDevicesAbout} />;
          return (
            <div class="stack">
              <Rules key={chosen.id} sessionId={chosen.id}>
                <DeviceChoice devices={sessions} chosen={chosen.id} onDevice={(id) => route(`${BASE}/auto-replies?session_id=${id}`)} />
              </Rules>
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface RulesProps {
  readonly sessionId: string;
  readonly children: JSX.Element;
}

function Rules({ sessionId, children }: RulesProps): JSX.Element {
  const t = words();
  const rules = useResource(sessionId, (signal) => call('listAutoReplies', { params: { sessionId } }, { signal }));
  return (
    <>
      <div class="toolbar">
        {children}
        <Opener label={t.add}>
          {(isOpen, close) => <RuleForm sessionId={sessionId} rule={null} isOpen={isOpen} onClose={close} onSaved={rules.reload} />}
        </Opener>
      </div>
      <Loaded of={rules}>
        {({ rules: list }) => (
          <>
            <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(rule) => <RuleRow key={rule.id} rule={rule} onChange={rules.reload} />}
            </Listing>
            {list.length > 0 && <TryRules rules={list} />}
          </>
        )}
      </Loaded>
    </>
  );
}
