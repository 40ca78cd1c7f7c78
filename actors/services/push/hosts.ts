/** Push services, including their subdomains. Notifications are sent to no other host. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  'android.googleapis.com',
  'push.apple.com',
  'notify.windows.com',
  'push.services.mozilla.com',
] as const;

/** `allow` contains `host:port` pairs from EGRESS_ALLOW, which may also use plain HTTP. */
export function isPushService(endpoint: string, allow: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url?.username !== '' || url.password !== '') return false;
  if (allow.includes(`${url.hostname}:${url.port}`)) return url.protocol === 'https:' || url.protocol === 'http:';
  if (url.protocol !== 'https:' || url.port !== '') return false;
  return PUSH_SERVICES.some((name) => url.hostname === name || url.hostname.endsWith(`.${name}`));
}
