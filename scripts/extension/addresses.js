// The gateways that the user added in the options. The extension does not contact any other address.

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/;

/** Returns a gateway's origin from an address in the options; null unless it uses https or is on this machine. */
export function originOf(text) {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, origin } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)) ? origin : null;
}

export async function knownAddresses() {
  const { addresses = [] } = await chrome.storage.local.get('addresses');
  return addresses;
}

export const keepAddresses = (addresses) => chrome.storage.local.set({ addresses });
