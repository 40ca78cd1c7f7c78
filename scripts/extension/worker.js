// The page can be opened only by the extension's button, because the extension accepts no messages
// from websites or other extensions.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: chrome.runtime.getURL('link.html') }));
