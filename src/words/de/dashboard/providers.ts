import type { dashboardProviders as english } from '../../en/dashboard/providers.ts'
import type { WordsOf } from '../../words-of.ts'

export const dashboardProviders: WordsOf<typeof english> = {
  providers: 'Anbieter',
  providersText:
    'Mit einem Anbieter (OpenID Connect) melden sich Menschen hier mit einem Konto an, das sie anderswo haben: in deiner Firma, bei Google oder wo immer du angibst.',
  providersEmpty: 'Noch keine Anbieter',
  providersEmptyText: 'Angemeldet wird mit Passwort oder Passkey.',
  providersLimit: (limit) => `Höchstens ${limit} dürfen eingeschaltet sein, nach dem Tarif des Betreibers.`,
  providerNew: 'Neuer Anbieter',
  providerEdit: 'Anbieter bearbeiten',
  providerCreate: 'Anbieter anlegen',
  providerTitle: 'Titel',
  providerTitleHint: 'Was auf der Schaltfläche steht: Anmelden mit …',
  providerName: 'Name in Adressen',
  providerNameHint: (address) =>
    `1 bis 32 von a-z 0-9 -. Er ist Teil von ${address} und kann später nicht geändert werden.`,
  providerNameRule: 'Nimm 1 bis 32 von a-z, 0-9 und -, weder am Anfang noch am Ende ein -.',
  providerNameTaken: 'Ein anderer Anbieter hat diesen Namen.',
  providerIssuer: 'Aussteller',
  providerIssuerHint: 'Die Adresse, die der Anbieter Issuer nennt, etwa https://accounts.google.com',
  providerIssuerRule: 'Das ist keine Adresse wie https://login.example.com/realm.',
  providerIssuerInUse:
    'Unter diesem Aussteller sind Konten verbunden. Lege für einen anderen einen neuen Anbieter an, und lösche diesen später.',
  providerClientId: 'Client-ID',
  providerSecret: 'Client-Geheimnis',
  providerSecretHint: 'Wird verschlüsselt aufbewahrt und nie wieder gezeigt. Leer: der Client hat keines.',
  providerSecretKept: 'Ein Geheimnis ist hinterlegt. Leer lassen, um es zu behalten.',
  providerSecretRemove: 'Geheimnis entfernen: der Client hat keines',
  providerSecretEither: 'Gib ein Geheimnis ein oder entferne es, nicht beides.',
  providerSecretNeeded: 'Ein anderer Aussteller braucht sein eigenes Geheimnis. Gib es ein.',
  providerScopes: 'Scopes',
  providerScopesHint:
    'Durch Leerzeichen getrennt. openid wird gebraucht; email und profile geben Adresse und Namen.',
  providerScopesRule: 'Nenne Scopes, durch ein Leerzeichen getrennt, darunter openid.',
  providerTextRule: (most) => `Nimm 1 bis ${most} Zeichen, ohne Zeilenumbruch.`,
  providerOn: 'Eingeschaltet',
  providerSignUp: 'Wer hier kein Konto hat, darf sich damit registrieren',
  providerSignUpClosed:
    'Der Betreiber hat die Registrierung auf dieser Seite geschlossen; das hat also zurzeit keine Wirkung.',
  providerRole: 'Rolle neuer Benutzer',
  providerCallback: 'Rücksprungadresse',
  providerCallbackText: 'Teile dem Anbieter diese Adresse mit, genau so (Redirect URI).',
  providerCopyCallback: 'Rücksprungadresse kopieren',
  providerCheck: 'Verbindung prüfen',
  providerCheckText: 'Liest, was der Anbieter über sich sagt. Geändert wird nichts.',
  providerChecked: ({ issuer, endpoint }) =>
    `Der Anbieter antwortet als ${issuer}; angemeldet wird unter ${endpoint}.`,
  providerNoPkce: 'Er sagt nicht, dass er PKCE prüft. Es wird trotzdem verwendet.',
  providerUnknownScopes: (scopes) => `Diese Scopes kennt er nicht: ${scopes}.`,
  providerUnreachable:
    'Es wurde nichts gelesen: Die Adresse ist falsch, antwortet nicht rechtzeitig, oder dieser Server darf sie nicht aufrufen.',
  providerMistaken:
    'Die Adresse antwortet, aber nicht als dieser Aussteller. Vergleiche den Aussteller, bis zum letzten Schrägstrich, mit den Einstellungen des Anbieters, und gib das Geheimnis neu ein.',
  providerState: 'Zustand',
  providerIsOn: 'Ein',
  providerOff: 'Aus',
  providerSwitchOn: 'Einschalten',
  providerSwitchOff: 'Ausschalten',
  providerOrder: 'Reihenfolge',
  providerUp: 'Nach oben',
  providerDown: 'Nach unten',
  providerChanged:
    'Jemand anders aus der Verwaltung hat diesen Anbieter inzwischen geändert. Sieh ihn an, bevor du speicherst.',
  providerDelete: 'Anbieter löschen',
  providerDeleteTitle: 'Diesen Anbieter löschen?',
  providerDeleteText: (count) =>
    `Verbundene Konten: ${count}. Ihre Benutzer bleiben und melden sich anders an; wer weder Passwort noch Passkey hat, braucht ein neues Passwort von dir.`,
  providerKeep: 'Behalten',
}
