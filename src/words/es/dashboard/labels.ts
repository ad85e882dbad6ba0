/** Albums, categories and tags of the dashboard. */
export const dashboardLabels = {
  newCategory: 'Nueva categoría',
  noCategoriesForAdmin: 'Una categoría ordena los archivos de todos. Crea la primera.',
  categoryHint: 'Su dirección queda, para que los enlaces sigan valiendo.',
  categoryTaken: 'Ya hay una categoría con este nombre.',
  tagHint: 'Con el nombre de otra etiqueta, las dos se unen.',
  searchTags: 'Buscar etiquetas',
  moreTags: 'Hay más etiquetas. Busca cómo empieza una.',
  rename: 'Renombrar',
  newName: 'Nombre nuevo',
  labelDelete: 'Eliminar',
  labelDeleteText: 'Sus archivos quedan, sin ella.',
  labelRule: 'Un nombre tiene de 1 a 32 caracteres; una etiqueta no tiene comas.',
  labelGone: 'Ya no existe.',
  onlyOwner: 'Solo el dueño',
}
