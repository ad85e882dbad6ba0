import type { presets as english } from '../en/presets.ts'
import type { WordsOf } from '../words-of.ts'

export const presets: WordsOf<typeof english> = {
  presets: 'Voreinstellungen',
  presetsText:
    'Eine Voreinstellung ist eine Größe und ein Format von Bildern mit einem Namen. Alle können sie für jedes Bild dieser Website nutzen: Hänge ?preset= und den Namen an seine Adresse.',
  presetsLimit: (most) => `Du kannst bis zu ${most} Voreinstellungen haben.`,
  presetsEmpty: 'Noch keine Voreinstellungen',
  presetsEmptyText:
    'Erstelle eine für jede Größe, in der du Bilder zeigst, zum Beispiel für eine Karte oder einen Kopfbereich.',
  presetsNoPicture: 'Lade ein Bild hoch, um es hier zu sehen.',
  presetsOff:
    'Der Betreiber hat andere Größen und Formate ausgeschaltet. Voreinstellungen haben deshalb keine Wirkung.',
  presetNew: 'Neue Voreinstellung',
  presetCreate: 'Voreinstellung erstellen',
  presetName: 'Name',
  presetNameHint:
    '1 bis 32 Zeichen: a-z, 0-9, _ und -. Er ist Teil von Adressen und lässt sich später nicht ändern.',
  presetSideHint: (most) => `In Pixeln, bis ${most}. Bilder werden nie vergrößert.`,
  presetPositionHint: 'Der Teil, der bleibt, wenn ein Bild beschnitten wird.',
  presetQualityHint: '1 bis 100. Wenn leer: 80 für JPEG, 75 für WebP, 50 für AVIF.',
  presetBackgroundHint:
    'Um aufgefüllte Bilder herum und hinter durchsichtigen: sechs hexadezimale Ziffern wie ffcc00, oder transparent.',
  presetUsual: 'Standard',
  presetEdit: 'Bearbeiten',
  presetDelete: 'Voreinstellung löschen',
  presetDeleteTitle: (name) => `${name} löschen?`,
  presetDeleteText: (query) => `Adressen mit ${query} funktionieren sofort nicht mehr.`,
  presetKeep: 'Behalten',
  presetChanged:
    'Inzwischen hat jemand anderes aus der Verwaltung diese Voreinstellung geändert. Wähle, was bleiben soll, und speichere dann.',
  presetPicture: (name) => `Ein Bild dieser Website als ${name}`,
  presetNamed: (name, size) => `Voreinstellung ${name} (${size})`,
  appPresets: 'Links in einer anderen Größe',
  appPresetsText: (example) =>
    `Um Links in der Größe einer Voreinstellung zu kopieren, hänge eine davon an die Adresse, die die App liest, in ShareX zum Beispiel ${example}. Das geht bei Dateien, die alle sehen können.`,
  presetLabels: {
    width: 'Breite',
    height: 'Höhe',
    fit: 'Einpassen',
    format: 'Format',
    quality: 'Qualität',
    position: 'Ausschnitt',
    background: 'Hintergrund',
    anim: 'Animationen behalten',
  },
  presetWords: {
    fit: {
      'scale-down': 'Einpassen, ganzes Bild zeigen',
      cover: 'Größe füllen, Rest abschneiden',
      pad: 'Einpassen, Rest auffüllen',
    },
    format: {
      auto: 'Das beste für jeden Browser',
      avif: 'AVIF',
      webp: 'WebP',
      jpeg: 'JPEG',
      png: 'PNG',
      origin: 'Wie hochgeladen',
    },
    position: {
      center: 'Mitte',
      top: 'Oben',
      right: 'Rechts',
      bottom: 'Unten',
      left: 'Links',
      'top-left': 'Oben links',
      'top-right': 'Oben rechts',
      'bottom-left': 'Unten links',
      'bottom-right': 'Unten rechts',
    },
  },
}
