import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../ui/badge.tsx';
import { Field } from '../../ui/field.tsx';
import { Radios } from '../../ui/radios.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Switch } from '../../ui/switch.tsx';
import { WordChips } from '../../ui/word-chips.tsx';
import { numberText } from '../../words/formats.ts';
import { HoursField } from './hours.tsx';
import { sendingWords } from './sending-words.ts';

type Settings = Schemas['Settings'];

const settingsIn = (signal: AbortSignal): Promise<Settings> => call('getSettings', {}, { signal });
const put = (body: Schemas['SettingsPatchInput']): Promise<Settings> => call('putSettings', { body });

export function SendWindow(): JSX.Element {
  const t = sendingWords();
  const settings = useResource('settings', settingsIn);
  return (
    <Loaded of={settings}>
      {({ send_window, pacing, warmup }) => (
        <SaveForm title={t.window} about={t.windowAbout} data={{ send_window, pacing, warmup }} save={put}>
          {({ value, change, fault }) => (
            <>
              <div class="card parts">
                <Switch
                  label={t.windowOn}
                  hint={t.windowHint}
                  isOn={value.send_window.enabled}
                  onChange={(enabled) => change({ send_window: { ...value.send_window, enabled } })}
                />
                {value.send_window.enabled && (
                  <div class="setting form">
                    <HoursField
                      labels={{ start: t.from, end: t.until, days: t.days }}
                      value={value.send_window}
                      onHours={(hours) => change({ send_window: { ...value.send_window, ...hours } })}
                      fault={fault('send_window.end') ?? fault('send_window.days')}
                      strip={t.strip}
                    />
                    <Radios
                      label={t.zone}
                      value={value.send_window.zone}
                      options={[
                        ['business', t.zones.business, t.zoneHints.business],
                        ['recipient', t.zones.recipient, t.zoneHints.recipient],
                      ]}
                      onValue={(zone) => change({ send_window: { ...value.send_window, zone } })}
                    />
                  </div>
                )}
              </div>
              <div class="card parts">
                <div class="setting form">
                  <div class="row apart">
                    <h3>{t.pace}</h3>
                    {value.pacing.max_delay_ms > 0 && <Badge tone="good" text={t.anHour(numberText(anHour(value.pacing)))} />}
                  </div>
                  <div class="two-fields">
                    <Seconds
                      label={t.least}
                      ms={value.pacing.min_delay_ms}
                      onMs={(min_delay_ms) => change({ pacing: { ...value.pacing, min_delay_ms } })}
                      fault={value.pacing.min_delay_ms > value.pacing.max_delay_ms ? t.pauseOrder : fault('pacing.min_delay_ms')}
                    />
                    <Seconds
                      label={t.most}
                      ms={value.pacing.max_delay_ms}
                      onMs={(max_delay_ms) => change({ pacing: { ...value.pacing, max_delay_ms } })}
                      fault={fault('pacing.max_delay_ms')}
                    />
                  </div>
                  <p class="small soft">{t.paceHint}</p>
                </div>
                <Switch
                  label={t.typing}
                  isOn={value.pacing.typing}
                  onChange={(typing) => change({ pacing: { ...value.pacing, typing } })}
                />
                <Switch
                  label={t.warmup}
                  hint={t.warmupHint}
                  isOn={value.warmup.enabled}
                  onChange={(enabled) => change({ warmup: { ...value.warmup, enabled } })}
                />
                {value.warmup.enabled && (
                  <div class="setting form">
                    <Field
                      label={t.warmupDays}
                      type="number"
                      value={String(value.warmup.days)}
                      onValue={(days) => change({ warmup: { ...value.warmup, days: Number(days) } })}
                      fault={fault('warmup.days')}
                    />
                  </div>
                )}
              </div>
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

const HOUR_MS = 3_600_000;

function anHour({ min_delay_ms, max_delay_ms }: Settings['pacing']): number {
  const exact = (2 * HOUR_MS) / (min_delay_ms + max_delay_ms);
  return Number(exact.toPrecision(2));
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

export function Welcome(): JSX.Element {
  const t = sendingWords();
  const settings = useResource('settings', settingsIn);
  return (
    <Loaded of={settings}>
      {({ welcome, away }) => (
        <SaveForm title={t.welcome} about={t.welcomeAbout} data={{ welcome, away }} save={put}>
          {({ value, change, fault }) => (
            <>
              <div class="card parts">
                <Switch
                  label={t.welcomeOn}
                  hint={t.welcomeHint}
                  isOn={value.welcome.enabled}
                  onChange={(enabled) => change({ welcome: { ...value.welcome, enabled } })}
                />
                {value.welcome.enabled && (
                  <div class="setting form">
                    <Field
                      label={t.welcomeText}
                      lines={3}
                      required
                      value={value.welcome.text ?? ''}
                      onValue={(text) => change({ welcome: { ...value.welcome, text: text === '' ? null : text } })}
                      fault={fault('welcome.text')}
                    />
                  </div>
                )}
              </div>
              <div class="card parts">
                <Switch
                  label={t.awayOn}
                  hint={t.awayHint}
                  isOn={value.away.enabled}
                  onChange={(enabled) => change({ away: { ...value.away, enabled } })}
                />
                {value.away.enabled && (
                  <div class="setting form">
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
                      strip={t.openStrip}
                    />
                  </div>
                )}
              </div>
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

const putConsent = ({ warnings: _, ...config }: Schemas['ConsentConfig']): Promise<Schemas['ConsentConfig']> =>
  call('putConsentConfig', { body: config });

export function Consent(): JSX.Element {
  const t = sendingWords();
  const config = useResource('consent', (signal) => call('getConsentConfig', {}, { signal }));
  return (
    <Loaded of={config}>
      {(data) => (
        <SaveForm title={t.consent} about={t.consentAbout} data={data} save={putConsent}>
          {({ value, change, fault }) => (
            <>
              <div class="card parts">
                <Switch label={t.consentOn} hint={t.consentHint} isOn={value.enabled} onChange={(enabled) => change({ enabled })} />
                <div class="setting form">
                  <WordChips
                    label={t.optout}
                    words={value.optout_keywords}
                    onWords={(optout_keywords) => change({ optout_keywords })}
                    fault={fault('optout_keywords')}
                  />
                  <WordChips
                    label={t.optin}
                    words={value.optin_keywords}
                    onWords={(optin_keywords) => change({ optin_keywords })}
                    fault={fault('optin_keywords')}
                  />
                  <Field
                    label={t.optoutReply}
                    hint={t.noReply}
                    lines={2}
                    value={value.optout_reply ?? ''}
                    onValue={(text) => change({ optout_reply: text === '' ? null : text })}
                    fault={fault('optout_reply')}
                  />
                  <Field
                    label={t.optinReply}
                    lines={2}
                    value={value.optin_reply ?? ''}
                    onValue={(text) => change({ optin_reply: text === '' ? null : text })}
                    fault={fault('optin_reply')}
                  />
                </div>
              </div>
              <div class="card parts">
                <Switch
                  label={t.enforce}
                  hint={t.enforceHint}
                  isOn={value.enforce_api}
                  onChange={(enforce_api) => change({ enforce_api })}
                />
                <Switch
                  label={t.attestation}
                  hint={t.attestationHint}
                  isOn={value.require_attestation}
                  onChange={(require_attestation) => change({ require_attestation })}
                />
              </div>
            </>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}

export function Assigning(): JSX.Element {
  const t = sendingWords();
  const assignment = useResource('assignment', (signal) => call('getAssignment', {}, { signal }));
  return (
    <Loaded of={assignment}>
      {(data) => (
        <SaveForm title={t.assignment} about={t.assignmentAbout} data={data} save={(body) => call('putAssignment', { body })}>
          {({ value, change }) => (
            <div class="card parts">
              <div class="setting form">
                <Radios
                  label={t.mode}
                  value={value.mode}
                  options={[
                    ['manual', t.modes.manual, t.modeHints.manual],
                    ['round_robin', t.modes.round_robin, t.modeHints.round_robin],
                    ['least_busy', t.modes.least_busy, t.modeHints.least_busy],
                  ]}
                  onValue={(mode) => change({ mode })}
                />
              </div>
              {value.mode !== 'manual' && (
                <Switch
                  label={t.onlyOnline}
                  hint={t.onlyOnlineHint}
                  isOn={value.only_online}
                  onChange={(only_online) => change({ only_online })}
                />
              )}
            </div>
          )}
        </SaveForm>
      )}
    </Loaded>
  );
}
