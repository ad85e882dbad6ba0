import type { presets as english } from '../en/presets.ts'
import type { WordsOf } from '../words-of.ts'

export const presets: WordsOf<typeof english> = {
  presets: 'Preajustes',
  presetsText:
    'Un preajuste es un tamaño y un formato de imagen con un nombre. Cualquiera puede usarlo con todas las imágenes de este sitio: añade ?preset= y el nombre a su dirección.',
  presetsLimit: (most) => `Puedes tener hasta ${most} preajustes.`,
  presetsEmpty: 'Aún no hay preajustes',
  presetsEmptyText: 'Crea uno para cada tamaño en el que muestras imágenes, como una tarjeta o una cabecera.',
  presetsNoPicture: 'Sube una imagen para verla aquí.',
  presetsOff:
    'El operador ha desactivado los demás tamaños y formatos, así que los preajustes no tienen efecto.',
  presetNew: 'Preajuste nuevo',
  presetCreate: 'Crear preajuste',
  presetName: 'Nombre',
  presetNameHint:
    'De 1 a 32 caracteres: a-z, 0-9, _ y -. Forma parte de las direcciones y no se puede cambiar después.',
  presetSideHint: (most) => `En píxeles, hasta ${most}. Las imágenes nunca se amplían.`,
  presetPositionHint: 'La parte que queda cuando se recorta una imagen.',
  presetQualityHint: 'De 1 a 100. Si está vacío: 80 para JPEG, 75 para WebP, 50 para AVIF.',
  presetBackgroundHint:
    'Alrededor de las imágenes rellenadas y detrás de las transparentes: seis dígitos hexadecimales como ffcc00, o transparent.',
  presetUsual: 'Predeterminado',
  presetEdit: 'Editar',
  presetDelete: 'Eliminar preajuste',
  presetDeleteTitle: (name) => `¿Eliminar ${name}?`,
  presetDeleteText: (query) => `Las direcciones con ${query} dejarán de funcionar al momento.`,
  presetKeep: 'Conservarlo',
  presetChanged:
    'Mientras tanto, otra persona de la administración ha cambiado este preajuste. Elige qué conservar y guarda.',
  presetPicture: (name) => `Una imagen de este sitio como ${name}`,
  presetNamed: (name, size) => `Preajuste ${name} (${size})`,
  appPresets: 'Enlaces en otro tamaño',
  appPresetsText: (example) =>
    `Para copiar enlaces en el tamaño de un preajuste, añade uno de estos a la dirección que lee la aplicación, por ejemplo en ShareX ${example}. Funciona con los archivos que todos pueden ver.`,
  presetLabels: {
    width: 'Ancho',
    height: 'Alto',
    fit: 'Ajuste',
    format: 'Formato',
    quality: 'Calidad',
    position: 'Posición',
    background: 'Fondo',
    anim: 'Conservar animaciones',
  },
  presetWords: {
    fit: {
      'scale-down': 'Ajustar dentro, mostrar la imagen entera',
      cover: 'Llenar el tamaño, recortar el resto',
      pad: 'Ajustar dentro, rellenar el resto',
    },
    format: {
      auto: 'El mejor para cada navegador',
      avif: 'AVIF',
      webp: 'WebP',
      jpeg: 'JPEG',
      png: 'PNG',
      origin: 'Como se subió',
    },
    position: {
      center: 'Centro',
      top: 'Arriba',
      right: 'Derecha',
      bottom: 'Abajo',
      left: 'Izquierda',
      'top-left': 'Arriba a la izquierda',
      'top-right': 'Arriba a la derecha',
      'bottom-left': 'Abajo a la izquierda',
      'bottom-right': 'Abajo a la derecha',
    },
  },
}
