// The extension's button opens its page. Nothing else can: no page and no other extension can send it messages.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: chrome.runtime.getURL('link.html') }));
