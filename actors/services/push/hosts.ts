/** The push services of browsers; a name also stands for all names under it. Nothing else is ever asked. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  'android.googleapis.com',
  'push.apple.com',
  'notify.windows.com',
  'push.services.mozilla.com',
] as const;

/** Does a browser's push service live at this address? `allow` are the `host:port` pairs of EGRESS_ALLOW, also by plain http. */
export function isPushService(endpoint: string, allow: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url?.username !== '' || url.password !== '') return false;
  if (allow.includes(`${url.hostname}:${url.port}`)) return url.protocol === 'https:' || url.protocol === 'http:';
  if (url.protocol !== 'https:' || url.port !== '') return false;
  return PUSH_SERVICES.some((name) => url.hostname === name || url.hostname.endsWith(`.${name}`));
}
