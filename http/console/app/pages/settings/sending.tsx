import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Check } from '../../ui/check.tsx';
import { Choice } from '../../ui/choice.tsx';
import { spansBetween } from '../../ui/day.ts';
import { DayStrip } from '../../ui/day-strip.tsx';
import { Field } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import { HoursField } from './hours.tsx';
import { sendingWords } from './sending-words.ts';

type Settings = Schemas['Settings'];

const settingsIn = (signal: AbortSignal): Promise<Settings> => call('getSettings', {}, { signal });
const put = (body: Schemas['SettingsPatchInput']): Promise<Settings> => call('putSettings', { body });

/** When campaigns may be sent, and how fast a device sends. */
export function SendWindow(): JSX.Element {
  const t = sendingWords();
  const settings = useResource('settings', settingsIn);
  return (
    <Loaded of={settings}>
      {({ send_window, pacing, warmup }) => (
        <SaveForm title={t.window} about={t.windowAbout} data={{ send_window, pacing, warmup }} save={put}>
          {({ value, change, fault }) => (
            <>
              <Check
                label={t.windowOn}
                hint={t.windowHint}
                isOn={value.send_window.enabled}
                onChange={(enabled) => change({ send_window: { ...value.send_window, enabled } })}
              />
              {value.send_window.enabled && (
                <>
                  <HoursField
                    labels={{ start: t.from, end: t.until, days: t.days }}
                    value={value.send_window}
                    onHours={(hours) => change({ send_window: { ...value.send_window, ...hours } })}
                    fault={fault('send_window.end') ?? fault('send_window.days')}
                  />
                  <DayStrip
                    label={t.strip(value.send_window.start, value.send_window.end)}
                    open={spansBetween(value.send_window.start, value.send_window.end)}
                  />
                  <Choice
                    label={t.zone}
                    value={value.send_window.zone}
                    options={[
                      ['business', t.zones.business],
                      ['recipient', t.zones.recipient],
                    ]}
                    onValue={(zone) => change({ send_window: { ...value.send_window, zone } })}
                  />
                </>
              )}
              <div class="row">
                <Seconds
                  label={t.least}
                  ms={value.pacing.min_delay_ms}
                  onMs={(min_delay_ms) => change({ pacing: { ...value.pacing, min_delay_ms } })}
                  fault={fault('pacing.min_delay_ms')}
                />
                <Seconds
                  label={t.most}
                  ms={value.pacing.max_delay_ms}
                  onMs={(max_delay_ms) => change({ pacing: { ...value.pacing, max_delay_ms } })}
                  fault={fault('pacing.max_delay_ms')}
                />
              </div>
              <Check label={t.typing} isOn={value.pacing.typing} onChange={(typing) => change({ pacing: { ...value.pacing, typing } })} />
              <Check
                label={t.warmup}
                hint={t.warmupHint}
                isOn={value.warmup.enabled}
                onChange={(enabled) => change({ warmup: { ...value.warmup, enabled } })}
              />
              {value.warmup.enabled && (
                <Field
                  label={t.warmupDays}
                  type="number"
                  value={String(value.warmup.days)}
                  onValue={(days) => change({ warmup: { ...value.warmup, days: Number(days) } })}
                  fault={fault('warmup.days')}
                />
              )}
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

interface SecondsProps {
  readonly label: string;
  readonly ms: number;
  readonly onMs: (ms: number) => void;
  readonly fault: string | undefined;
}

const Seconds = ({ label, ms, onMs, fault }: SecondsProps): JSX.Element => (
  <Field
    label={label}
    type="number"
    value={String(ms / 1_000)}
    onValue={(seconds) => onMs(Math.round(Number(seconds) * 1_000))}
    fault={fault}
  />
);

/** Automatic replies to first messages (welcome) and outside opening hours (away). */
export function Welcome(): JSX.Element {
  const t = sendingWords();
  const settings = useResource('settings', settingsIn);
  return (
    <Loaded of={settings}>
      {({ welcome, away }) => (
        <SaveForm title={t.welcome} about={t.welcomeAbout} data={{ welcome, away }} save={put}>
          {({ value, change, fault }) => (
            <>
              <Check
                label={t.welcomeOn}
                isOn={value.welcome.enabled}
                onChange={(enabled) => change({ welcome: { ...value.welcome, enabled } })}
              />
              {value.welcome.enabled && (
                <Field
                  label={t.welcomeText}
                  lines={3}
                  required
                  value={value.welcome.text ?? ''}
                  onValue={(text) => change({ welcome: { ...value.welcome, text: text === '' ? null : text } })}
                  fault={fault('welcome.text')}
                />
              )}
              <Check label={t.awayOn} isOn={value.away.enabled} onChange={(enabled) => change({ away: { ...value.away, enabled } })} />
              {value.away.enabled && (
                <>
                  <Field
                    label={t.awayText}
                    lines={3}
                    required
                    value={value.away.text ?? ''}
                    onValue={(text) => change({ away: { ...value.away, text: text === '' ? null : text } })}
                    fault={fault('away.text')}
                  />
                  <HoursField
                    labels={{ start: t.openFrom, end: t.openUntil, days: t.openDays }}
                    value={value.away.hours}
                    onHours={(hours) => change({ away: { ...value.away, hours } })}
                    fault={fault('away.hours.end') ?? fault('away.hours.days')}
                  />
                </>
              )}
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

/** Trims the lines and drops empty ones. */
const wordsIn = (lines: readonly string[]): string[] => lines.map((line) => line.trim()).filter((line) => line !== '');

function putConsent({ warnings: _, ...config }: Schemas['ConsentConfig']): Promise<Schemas['ConsentConfig']> {
  const [optout_keywords, optin_keywords] = [wordsIn(config.optout_keywords), wordsIn(config.optin_keywords)];
  return call('putConsentConfig', { body: { ...config, optout_keywords, optin_keywords } });
}

/** Keywords with which people opt out and in, and the replies to them. */
export function Consent(): JSX.Element {
  const t = sendingWords();
  const config = useResource('consent', (signal) => call('getConsentConfig', {}, { signal }));
  return (
    <Loaded of={config}>
      {(data) => (
        <SaveForm title={t.consent} about={t.consentAbout} data={data} save={putConsent}>
          {({ value, change, fault }) => (
            <>
              <Check label={t.consentOn} isOn={value.enabled} onChange={(enabled) => change({ enabled })} />
              <Field
                label={t.optout}
                hint={t.onePerLine}
                lines={4}
                value={value.optout_keywords.join('\n')}
                onValue={(text) => change({ optout_keywords: text.split('\n') })}
                fault={fault('optout_keywords')}
              />
              <Field
                label={t.optoutReply}
                lines={2}
                value={value.optout_reply ?? ''}
                onValue={(text) => change({ optout_reply: text === '' ? null : text })}
                fault={fault('optout_reply')}
              />
              <Field
                label={t.optin}
                hint={t.onePerLine}
                lines={4}
                value={value.optin_keywords.join('\n')}
                onValue={(text) => change({ optin_keywords: text.split('\n') })}
                fault={fault('optin_keywords')}
              />
              <Field
                label={t.optinReply}
                lines={2}
                value={value.optin_reply ?? ''}
                onValue={(text) => change({ optin_reply: text === '' ? null : text })}
                fault={fault('optin_reply')}
              />
              <Check label={t.enforce} isOn={value.enforce_api} onChange={(enforce_api) => change({ enforce_api })} />
              <Check
                label={t.attestation}
                isOn={value.require_attestation}
                onChange={(require_attestation) => change({ require_attestation })}
              />
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

/** Assignment of new chats to agents. */
export function Assigning(): JSX.Element {
  const t = sendingWords();
  const assignment = useResource('assignment', (signal) => call('getAssignment', {}, { signal }));
  return (
    <Loaded of={assignment}>
      {(data) => (
        <SaveForm title={t.assignment} about={t.assignmentAbout} data={data} save={(body) => call('putAssignment', { body })}>
          {({ value, change }) => (
            <>
              <Choice
                label={t.mode}
                value={value.mode}
                options={[
                  ['manual', t.modes.manual],
                  ['round_robin', t.modes.round_robin],
                  ['least_busy', t.modes.least_busy],
                ]}
                onValue={(mode) => change({ mode })}
              />
              {value.mode !== 'manual' && (
                <Check label={t.onlyOnline} isOn={value.only_online} onChange={(only_online) => change({ only_online })} />
              )}
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}
